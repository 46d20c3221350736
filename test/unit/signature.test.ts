/** Signatures as servers show them in hovers, and the head of a declaration where there is no hover. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { headOf, signatureIn } from "../../server/symbols/signature.ts";

const markdown = (value: string) => ({ kind: "markdown", value });

test("the code that declares the name is the signature", () => {
  const clangd =
    "### instance-method `area`\n\n---\n→ `int`\n\n---\n```cpp\n// In geo::Shape\npublic: int area(int s) const\n```";
  assert.equal(signatureIn(markdown(clangd), "area"), "public: int area(int s) const");
  const rust =
    "```rust\nfx::signal::Metrics\n```\n\n```rust\npub fn record(&mut self, value: u64)\n```\n\n---\n\nNotes.";
  assert.equal(signatureIn(markdown(rust), "record"), "pub fn record(&mut self, value: u64)");
  const old = [{ language: "go", value: "func (b *Box) Set(v int)" }, "Set sets."];
  assert.equal(signatureIn(old, "Set"), "func (b *Box) Set(v int)");
  const plain = { kind: "plaintext", value: "(method) def speed(\n    self: E\n) -> int\n\nThe speed." };
  assert.equal(signatureIn(plain, "speed"), "(method) def speed(\n    self: E\n) -> int");
  assert.equal(signatureIn(markdown("```ts\nfunction records(): void\n```"), "record"), null);
  assert.equal(signatureIn(null, "record"), null);
});

test("a declaration's head ends where its body begins", () => {
  assert.equal(headOf("int area(int s) const { return 1; }"), "int area(int s) const");
  assert.equal(
    headOf("def run(\n    a,\n    b=[1, 2],\n) -> int:\n    return 1"),
    "def run(\n    a,\n    b=[1, 2],\n) -> int",
  );
  assert.equal(headOf("const limit = 3"), "const limit = 3");
  assert.equal(headOf("record(a: { b: number }): void {\n}"), "record(a: { b: number }): void");
});
