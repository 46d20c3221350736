/** A headless Neovim at work in several languages of one workspace through one `switchboard --stdio`. */
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { adapterOf } from "../../adapters/index.ts";
import { backendPath, have } from "../backends/paths.ts";
import { type Fixture, type FixtureName, fixture } from "../fixture.ts";
import { Desk, leftovers, neovim, noNeovim } from "./neovim.ts";

/** What a language calls things, and what the editor's user types. */
interface Scene {
  readonly language: FixtureName;
  readonly backend: string;
  readonly page: string;
  readonly signal: string;
  readonly broken: string;
  /** The method asked about, and a function to rename. */
  readonly method: string;
  readonly shared: string;
  readonly newName: string;
  readonly comment: string;
  readonly typed: string;
  readonly missing?: string;
}

const scenes: readonly Scene[] = [
  {
    language: "typescript",
    backend: "tsgo",
    page: "src/page.ts",
    signal: "src/signal.ts",
    broken: "src/broken.ts",
    method: "Metrics.record",
    shared: "shared",
    newName: "mended",
    comment: "// a line that is not on disk",
    typed: "    this.metrics.",
  },
  {
    language: "python",
    backend: "pyright",
    page: "fx/page.py",
    signal: "fx/signal.py",
    broken: "fx/broken.py",
    method: "Metrics.record",
    shared: "shared",
    newName: "mended",
    comment: "# a line that is not on disk",
    typed: "        self.metrics.",
  },
  {
    language: "go",
    backend: "gopls",
    page: "page/page.go",
    signal: "signal/signal.go",
    broken: "broken/broken.go",
    method: "Metrics.Record",
    shared: "Shared",
    newName: "Mended",
    comment: "// a line that is not on disk",
    typed: "\tp.metrics.",
    ...(have("gopls", ["version"]) === null ? { missing: "no gopls: see test/backends/install" } : {}),
  },
];

interface Place {
  readonly line: number;
  readonly character: number;
}

interface Report {
  readonly notes: readonly string[];
  readonly server: { readonly symbolByName?: boolean };
  readonly clients: number;
  readonly pid: number;
  readonly status: {
    readonly clients: number;
    readonly backends: readonly { name: string; pid: number; restarts: number }[];
  };
  readonly languages: Readonly<Record<string, LanguageReport>>;
}

interface LanguageReport {
  readonly definition: Place & { readonly file: string };
  readonly references: readonly string[];
  readonly moved: readonly string[];
  readonly completion: { readonly label: string; readonly resolved: string; readonly detail?: string };
  readonly rename: { readonly page: boolean; readonly signal: boolean; readonly left: boolean };
  readonly diagnostics: { readonly line: number; readonly severity: number; readonly again: number };
  readonly byName: {
    readonly uri: string;
    readonly start: Place;
    readonly name: string;
    readonly matches: number;
    readonly twin: boolean;
  };
}

test("several languages through one switchboard in Neovim", { skip: noNeovim, timeout: 180_000 }, async (t) => {
  const desk = new Desk();
  const root = desk.folder("workspace");
  const played = scenes.filter(({ language, missing }) => {
    if (missing !== undefined) t.diagnostic(`skipped: ${language}, ${missing}`);
    return missing === undefined;
  });
  const fixtures = new Map(played.map((scene) => [scene.language, fixture(scene.language)]));
  try {
    const languages = played.map((scene) => taskOf(scene, fixtures.get(scene.language), root));
    const { report, code } = await neovim<Report>(desk, "workspace.lua", { root, languages }, { path: backendPath() });
    assert.equal(code, 0);
    assert.equal(report.server.symbolByName, true);
    assert.equal(report.clients, 1);
    assert.equal(report.status.clients, 1);
    // A linter stands beside them where one is installed, and whoever asks by name has the index.
    const general = report.status.backends.filter(
      ({ name }) => adapterOf(name)?.role === "general" && !adapterOf(name)?.lastResort,
    );
    assert.deepEqual(
      general.map(({ name, restarts }) => `${name} ${restarts}`).sort(),
      played.map(({ backend }) => `${backend} 0`).sort(),
    );
    for (const scene of played) {
      await t.test(scene.language, () => {
        const fx = fixtures.get(scene.language);
        const found = report.languages[scene.language];
        assert.ok(fx !== undefined && found !== undefined);
        const definition = fx.mark(`def:${scene.method}`);
        const use = fx.mark(`use:${scene.method}`);
        assert.deepEqual(found.definition, { file: basename(scene.signal), ...definition.position });
        const places = (page: number) => [
          `${basename(scene.page)}:${page + 1}`,
          `${basename(scene.signal)}:${definition.position.line + 1}`,
        ];
        assert.deepEqual(found.references, places(use.position.line));
        assert.deepEqual(found.moved, places(use.position.line + 1));
        assert.match(found.completion.label, /^record/i);
        assert.equal(found.completion.resolved, found.completion.label);
        assert.deepEqual(found.rename, { page: true, signal: true, left: false });
        const fault = fx.mark("error").position.line;
        assert.deepEqual([found.diagnostics.line, found.diagnostics.again], [fault, fault]);
        assert.equal(found.diagnostics.severity, 1);
        assert.equal(found.byName.uri, pathToFileURL(join(root, scene.language, scene.signal)).href);
        assert.deepEqual(found.byName.start, { ...definition.position, line: definition.position.line + 1 });
        assert.deepEqual([found.byName.matches, found.byName.twin], [1, true]);
        assert.ok(found.byName.name.endsWith(scene.method), found.byName.name);
      });
    }
    assert.deepEqual(report.notes, [], "nothing was said to the user");
    if (process.platform === "linux") assert.deepEqual(await leftovers(desk), [], "processes are left");
    else t.diagnostic("skipped: processes that are left are looked for on Linux only");
  } finally {
    for (const fx of fixtures.values()) fx.remove();
    desk.remove();
  }
});

/** Copies the fixture into the workspace, under its language's name, and says where things are there. */
function taskOf(scene: Scene, fx: Fixture | undefined, root: string): object {
  assert.ok(fx !== undefined);
  const folder = join(root, scene.language);
  cpSync(fx.root, folder, { recursive: true });
  const at = (name: string) => fx.mark(name).position;
  assert.equal(relative(fx.root, fx.mark(`use:${scene.method}`).path), join(scene.page));
  return {
    filetype: scene.language,
    page: join(folder, scene.page),
    signal: join(folder, scene.signal),
    broken: join(folder, scene.broken),
    use: at(`use:${scene.method}`),
    shared: at(`def:${scene.shared}`),
    sharedName: scene.shared,
    newName: scene.newName,
    fault: at("error").line,
    member: scene.method.split(".").at(-1),
    address: scene.method,
    comment: scene.comment,
    above: at(`def:${scene.method}`).line,
    typed: scene.typed,
  };
}
