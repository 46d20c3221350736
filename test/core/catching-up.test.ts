/** A server whose index knows files as they were when they were last open in it is asked only once it knows them as they are. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FakeClient } from "../sim/client.ts";
import { folder, Sim } from "../sim.ts";

const uri = `${folder}/a.x`;
const other = `${folder}/b.x`;
const first = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/**
 * A server that takes in what is open in it only when told to, and answers references with all that it knows. `quick`: it
 * has taken everything in as soon as it is asked for hover.
 */
class Scene {
  readonly sim: Sim;
  readonly client: FakeClient;
  readonly index = new Map<string, string>();

  constructor(quick: boolean, files: Readonly<Record<string, string>> = { [uri]: "a", [other]: "b" }) {
    this.sim = new Sim({
      files,
      backends: {
        one: {
          on: {
            "textDocument/hover": (_, server) => {
              if (quick) this.takeIn(server);
              return { result: null };
            },
            "textDocument/references": () => ({
              result: [...this.index].map(([at, text]) => ({ uri: `${at}#${text}` })),
            }),
          },
          adapter: { index: "opened" },
        },
      },
    });
    this.client = this.sim.client("A");
  }

  takeIn(server = this.sim.server("one")): void {
    for (const [at, { text, version }] of server.documents) {
      this.index.set(at, text);
      server.tell("textDocument/publishDiagnostics", { uri: at, version, diagnostics: [] });
    }
  }

  ask(): () => unknown {
    const position = first.start;
    const context = { includeDeclaration: true };
    const asked = this.client.ask("textDocument/references", { textDocument: { uri }, position, context });
    this.sim.advance(1);
    return () => asked.answers[0]?.result;
  }

  known(...texts: readonly (readonly [string, string])[]): unknown {
    return texts.map(([at, text]) => ({ uri: `${at}#${text}` }));
  }

  disk(at: string, text: string): void {
    const type = this.sim.files.has(at) ? 2 : 1;
    this.sim.files.set(at, text);
    this.sim.touch([{ uri: at, type }]);
    this.sim.settle();
  }
}

test("edits are taken in before the question, which hurries them", () => {
  const scene = new Scene(true);
  scene.client.open(uri, "a");
  assert.deepEqual(scene.ask()(), scene.known([uri, "a"]));
  scene.client.change(uri, [{ range: first, text: "1" }]);
  scene.client.change(uri, [{ range: first, text: "2" }]);
  assert.deepEqual(scene.ask()(), scene.known([uri, "21a"]));
  // Nothing new: nothing to hurry.
  const asked = scene.sim.server("one").questions.length;
  scene.ask();
  assert.equal(scene.sim.server("one").questions.length, asked + 1);
  assert.deepEqual(scene.sim.faults(), []);
});

test("the question waits for the version it is about, and not for ever", () => {
  const scene = new Scene(false);
  const { sim, client } = scene;
  client.open(uri, "a");
  const opened = scene.ask();
  assert.equal(opened(), undefined);
  scene.takeIn();
  sim.advance(1);
  assert.deepEqual(opened(), scene.known([uri, "a"]));
  client.change(uri, [{ range: first, text: "1" }]);
  const edited = scene.ask();
  const server = sim.server("one");
  server.tell("textDocument/publishDiagnostics", { uri, version: 1, diagnostics: [] });
  sim.advance(10);
  assert.equal(edited(), undefined, "that was the version before");
  sim.advance(2_000);
  assert.deepEqual(edited(), scene.known([uri, "a"]), "it has what there is");
  assert.deepEqual(sim.faults(), []);
});

test("files that changed on disk are opened in it, also new ones; what is no file of its is not", () => {
  const scene = new Scene(true);
  scene.client.open(uri, "a");
  scene.ask();
  scene.disk(other, "b2");
  scene.disk(`${folder}/new.x`, "n");
  scene.disk(`${folder}/new.y`, "y");
  assert.deepEqual(scene.ask()(), scene.known([uri, "a"], [other, "b2"], [`${folder}/new.x`, "n"]));
  // From now on they are followed.
  scene.disk(other, "b3");
  assert.deepEqual(scene.ask()(), scene.known([uri, "a"], [other, "b3"], [`${folder}/new.x`, "n"]));
  const saves = scene.sim.server("one").notifications.filter(({ method }) => method === "textDocument/didSave");
  assert.equal(saves.length, 3, "what the open document includes may have changed");
  assert.deepEqual(scene.sim.faults(), []);
});

test("a question does not wait on for a file whose end was told twice", () => {
  const scene = new Scene(true);
  scene.client.open(uri, "a");
  scene.ask();
  scene.disk(other, "b2");
  scene.ask();
  scene.sim.files.delete(other);
  for (const _ of [1, 2]) scene.sim.touch([{ uri: other, type: 3 }]);
  const answer = scene.ask();
  scene.sim.settle();
  assert.notEqual(answer(), undefined);
  assert.deepEqual(scene.sim.faults(), []);
});

test("a closed buffer gives way to the disk, where that is otherwise", () => {
  const scene = new Scene(true);
  const { client, sim } = scene;
  client.open(uri, "a");
  client.open(other, "unsaved");
  assert.deepEqual(scene.ask()(), scene.known([uri, "a"], [other, "unsaved"]));
  client.close(other);
  assert.deepEqual(scene.ask()(), scene.known([uri, "a"], [other, "b"]));
  assert.equal(sim.server("one").text(other), "b");
  client.open(other, "b");
  scene.ask();
  client.close(other);
  assert.deepEqual(scene.ask()(), scene.known([uri, "a"], [other, "b"]));
  assert.equal(sim.server("one").text(other), undefined, "there was nothing to mend");
  assert.deepEqual(sim.faults(), []);
});

test("of very many changed files only those are opened that hold the name asked for", () => {
  const names = Array.from({ length: 100 }, (_, i) => `${folder}/n${i}.x`);
  const scene = new Scene(true, { [uri]: "a", ...Object.fromEntries(names.map((name) => [name, "old"])) });
  scene.client.open(uri, "needle");
  scene.ask();
  for (const [i, name] of names.entries()) scene.disk(name, i % 20 === 7 ? "a needle" : "hay");
  scene.ask();
  const wanted = names.filter((_, i) => i % 20 === 7);
  assert.deepEqual([...scene.sim.server("one").documents.keys()], [uri, ...wanted]);
  assert.deepEqual(scene.sim.faults(), []);
});

test("a process that ends leaves nothing to wait for", () => {
  const scene = new Scene(false);
  scene.client.open(uri, "a");
  const asked = scene.ask();
  scene.sim.server("one").exit(1);
  scene.sim.advance(3_000);
  assert.deepEqual(asked(), []);
  scene.disk(other, "b2");
  scene.sim.server("one").exit(1);
  scene.sim.advance(5_000);
  assert.deepEqual(scene.sim.faults(), []);
});
