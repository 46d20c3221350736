/** Invariants of the source that a compiler does not see: who imports whom, and words that may stand in some places only. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { adapters } from "../../adapters/index.ts";
import { canonicalLanguage, languages } from "../../server/languages.ts";
import { rows } from "../../server/protocol/methods.ts";

const server = fileURLToPath(new URL("../../../server/", import.meta.url));
const sources = readdirSync(server, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => ({
    name: name.replaceAll("\\", "/"),
    code: withoutComments(readFileSync(`${server}${name}`, "utf8")),
  }));

test("there is something to look at", () => {
  assert.ok(sources.length > 30);
  assert.equal(withoutComments('a("// no") // yes\n/* b */c`/*`'), 'a("// no") \nc`/*`');
});

// A file may be called after a backend (".clangd"): that is a fact about files. And a backend after its language.
test("no file of the server names a backend", () => {
  const names = adapters
    .map(({ name }) => name)
    .filter((name) => name !== "syntax" && !languages.has(canonicalLanguage(name)));
  const found = sources.flatMap(({ name, code }) =>
    names
      .filter((backend) => new RegExp(`(?<![.\\w])${backend}\\b`).test(texts(code)))
      .map((backend) => `${name}: ${backend}`),
  );
  assert.deepEqual(found, []);
});

test("JSON is parsed in one file", () => {
  const found = within(["wire", "protocol", "core"]).filter(({ code }) => code.includes("JSON.parse"));
  assert.deepEqual(
    found.map(({ name }) => name),
    ["wire/packet.ts"],
  );
});

test("a method's name decides nothing outside of the table", () => {
  const methods = new Set(rows.map(({ method }) => method).filter((method) => /[/$]/.test(method)));
  const found = sources
    .filter(({ name }) => !name.startsWith("protocol/"))
    .flatMap(({ name, code }) =>
      literals(code)
        .filter((text) => methods.has(text))
        .map((text) => `${name}: ${text}`),
    );
  assert.deepEqual(found, []);
  const compared = sources
    // The command line is a client, which has to tell what it is asked.
    .filter(({ name }) => !/^(protocol|cli)\//.test(name))
    .flatMap(({ name, code }) =>
      [...code.matchAll(/[!=]==\s*M\.\w+|case M\.\w+/g)].map(([text]) => `${name}: ${text}`),
    );
  assert.deepEqual(compared, []);
});

test("imports go one way: wire, protocol, core, symbols, cli", () => {
  const layers = ["wire", "protocol", "core", "symbols", "cli"];
  const wrong = within(layers).flatMap(({ name, code }) => {
    const own = layers.indexOf(name.split("/")[0] ?? "");
    return imports(code)
      .map((target) => layers.indexOf(/^\.\.\/(\w+)\//.exec(target)?.[1] ?? ""))
      .filter((layer) => layer > own)
      .map((layer) => `${name} imports of ${layers[layer]}`);
  });
  assert.deepEqual(wrong, []);
});

test("the core knows adapters by type only, and no machine", () => {
  const found = within(["core"]).flatMap(({ name, code }) =>
    [...code.matchAll(/^import (type )?.*?from "([^"]+)"/gms)]
      .filter(
        ([, type, target = ""]) =>
          (target.includes("adapters/") && type === undefined) || /^node:(?!url|module)/.test(target),
      )
      .map(([, , target]) => `${name}: ${target}`),
  );
  assert.deepEqual(found, []);
});

function within(layers: readonly string[]): readonly { name: string; code: string }[] {
  return sources.filter(({ name }) => layers.some((layer) => name.startsWith(`${layer}/`)));
}

function imports(code: string): readonly string[] {
  return [...code.matchAll(/from "(\.[^"]+)"/g)].flatMap(([, target]) => target ?? []);
}

/** Only what a program does counts: comments may name anything. Texts stay, and what looks like a comment in them. */
function withoutComments(code: string): string {
  const tokens = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|\/\/[^\n]*|\/\*.*?\*\//gs;
  return code.replace(tokens, (token) => (token.startsWith("/") ? "" : token));
}

function literals(code: string): readonly string[] {
  return [...code.matchAll(/"((?:[^"\\\n]|\\.)*)"/g)].flatMap(([, text]) => text ?? []);
}

function texts(code: string): string {
  return `${literals(code).join("\n")}\n${[...code.matchAll(/`(?:[^`\\]|\\.)*`/gs)].join("\n")}`;
}
