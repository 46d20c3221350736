/** The README against what it tells of: its paths exist, its configuration is taken, its map and its tables leave nothing out. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { adapters } from "../../adapters/index.ts";
import { checkLayer } from "../../server/config/schema.ts";
import { parseToml } from "../../server/config/toml.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");

/** The code blocks of a language, in order. */
function blocks(language: string): readonly string[] {
  return [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(([, text = ""]) => text);
}

/** The text below a heading, up to the next one. */
function section(title: string): string {
  const [, text = ""] = new RegExp(`^## ${title}\\n(.*?)(?=^## |$(?![^]))`, "ms").exec(readme) ?? [];
  assert.notEqual(text, "", title);
  return text;
}

test("it opens with the two commands, each a line in a block of its own", () => {
  assert.deepEqual(blocks("sh").slice(0, 2), [
    "npm ci && npx switchboard symbol Mux.receive\n",
    "npm ci && npm test\n",
  ]);
  assert.equal(readme.indexOf("```sh"), "# Switchboard\n\n".length);
});

test("the configuration by example is valid", () => {
  const texts = blocks("toml").filter((block) => block.includes("[backends."));
  assert.equal(texts.length, 2);
  for (const text of texts) {
    const parsed = parseToml(text);
    assert.ok(parsed.ok, text);
    const checked = checkLayer(parsed.value, "file");
    assert.deepEqual(checked.ok ? [] : checked.complaints, []);
  }
});

test("JSON snippets are JSON", () => {
  for (const text of blocks("json")) assert.doesNotThrow(() => JSON.parse(text), text);
});

test("the map names what exists, and all of it", () => {
  const named = [...section("Map of the code").matchAll(/`((?:server|adapters|test|fixtures)\/[^`]*)`/g)].map(
    ([, path = ""]) => path,
  );
  for (const path of named) assert.ok(existsSync(join(root, path)), path);
  const files = ["server", "adapters"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => join(folder, file).replaceAll("\\", "/")),
  );
  const missing = files.filter(
    (file) => !named.some((path) => file === path || (path.endsWith("/") && file.startsWith(path))),
  );
  assert.deepEqual(missing, []);
});

test("the servers we know are those of the adapters, the dependencies those of the package", () => {
  for (const { name } of adapters) assert.ok(section("Configuration").includes(`\`${name}\``), name);
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    dependencies: object;
    devDependencies: object;
  };
  const listed = [...section("Dependencies").matchAll(/^\| `([^`]+)`/gm)].map(([, name = ""]) => name);
  assert.deepEqual(listed.toSorted(), [...Object.keys(dependencies), ...Object.keys(devDependencies)].toSorted());
});
