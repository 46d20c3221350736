/**
 * Items of call and type hierarchies on their way back: with their `data`, without, and after their process has ended. What
 * a server gave out reaches only the process that gave it; in all other cases the item is prepared again, or the client is
 * told. The server here answers `[]` to an item without `data` that it gave, as clangd does.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FakeClient } from "../sim/client.ts";
import { at, type FakeServer, type Question } from "../sim/server.ts";
import { folder, Sim } from "../sim.ts";

const uri = `${folder}/a.x`;
const families = {
  call: { prepare: "textDocument/prepareCallHierarchy", ask: "callHierarchy/incomingCalls", side: "from" },
  type: { prepare: "textDocument/prepareTypeHierarchy", ask: "typeHierarchy/supertypes", side: null },
} as const;

interface Server {
  readonly name: string;
  readonly marks: boolean;
  readonly encoding?: "utf-8";
}

const place = (line: number, from: number, to: number) => ({
  start: { line, character: from },
  end: { line, character: to },
});

/** Each line `fun NAME` declares; its item knows its process by `data`. Columns are ASCII, so that encodings agree. */
function itemsAt(text: string, line: number, data: string | null): object[] {
  const name = /^fun (\w+)/.exec(text.split("\n")[line] ?? "")?.[1];
  if (name === undefined) return [];
  const range = place(line, 4, 4 + name.length);
  return [{ name, kind: 12, uri, range, selectionRange: range, ...(data !== null && { data }) }];
}

function inContainer(item: object): object {
  const name = at(item, "name");
  return { ...item, name: `${name}2::${name}` };
}

function script({ name, marks, encoding }: Server) {
  const data = (server: FakeServer): string => `${name} ${server.generation}`;
  const prepare = ({ text = "", params }: Question, server: FakeServer) => ({
    result: itemsAt(text, Number(at(params, "position", "line")), marks ? data(server) : null),
  });
  const answer = (side: string | null) => (asked: Question, server: FakeServer) => {
    const given = at(asked.params, "item", "data");
    if (given !== (marks ? data(server) : undefined)) return { result: [] };
    const [item] = itemsAt("fun caller", 0, marks ? data(server) : null);
    return { result: side === null ? [item] : [{ [side]: item, fromRanges: [] }] };
  };
  // With a container before the name that begins with it.
  const outline = ({ text = "" }: Question) => ({
    result: text.split("\n").flatMap((_, line) => itemsAt(text, line, null).map((item) => inContainer(item))),
  });
  return {
    capabilities: { callHierarchyProvider: true, typeHierarchyProvider: true },
    ...(encoding !== undefined && { encoding }),
    on: {
      "textDocument/documentSymbol": outline,
      ...Object.fromEntries(
        Object.values(families).flatMap(({ prepare: made, ask, side }) => [
          [made, prepare],
          [ask, answer(side)],
        ]),
      ),
    },
  };
}

class Scene {
  readonly sim: Sim;
  readonly client: FakeClient;

  constructor(...servers: readonly Server[]) {
    this.sim = new Sim({ backends: Object.fromEntries(servers.map((server) => [server.name, script(server)])) });
    this.client = this.sim.client("A");
    this.client.open(uri, "fun caller\nfun other\nfun called\n");
    this.sim.settle();
  }

  ask(method: string, params: object): { result?: unknown; error?: { message: string; code: number } } {
    const asked = this.client.ask(method, params);
    this.sim.settle();
    this.sim.advance(2_000);
    assert.deepEqual(this.sim.faults(), []);
    const [answer] = asked.answers;
    assert.ok(answer, method);
    return answer;
  }

  prepare(method: string, line: number): object {
    const { result } = this.ask(method, { textDocument: { uri }, position: { line, character: 5 } });
    const [item] = Array.isArray(result) ? result : [];
    assert.equal(typeof item, "object");
    return item as object;
  }

  /** Names of what the answer to an item holds. */
  names(method: string, item: object, more: object = {}): readonly unknown[] {
    const { result, error } = this.ask(method, { item, ...more });
    assert.equal(error, undefined, JSON.stringify(error));
    assert.ok(Array.isArray(result));
    return result.map((one) => at(one, "name") ?? at(one, "from", "name"));
  }

  restart(name: string): void {
    this.sim.server(name).exit();
    this.sim.advance(2_000);
  }

  count(server: string, method: string): number {
    return this.sim.server(server).questions.filter((asked) => asked.method === method).length;
  }
}

const stripped = ({ data: _, ...rest }: { data?: unknown; [key: string]: unknown }): object => rest;

for (const [family, { prepare, ask }] of Object.entries(families)) {
  const ways = {
    "one server": [{ name: "one", marks: true }],
    "a server that counts otherwise": [{ name: "one", marks: true, encoding: "utf-8" }],
    "two servers": [
      { name: "one", marks: true },
      { name: "two", marks: true },
    ],
  } as const satisfies Record<string, readonly Server[]>;
  for (const [way, servers] of Object.entries(ways)) {
    test(`${family} hierarchy, ${way}: an item is understood as given, without data, and after a restart`, () => {
      const scene = new Scene(...servers);
      const item = scene.prepare(prepare, 2);
      assert.deepEqual(scene.names(ask, item), ["caller"]);
      assert.equal(scene.count("one", prepare), 1, "as given it is not prepared again");
      assert.deepEqual(scene.names(ask, stripped({ ...item })), ["caller"]);
      scene.restart("one");
      assert.deepEqual(scene.names(ask, item), ["caller"]);
      assert.deepEqual(scene.names(ask, item, { workDoneToken: "t" }), ["caller"]);
    });
  }

  test(`${family} hierarchy: an item whose name has moved is found by its outline; one that is gone is an error`, () => {
    const scene = new Scene({ name: "one", marks: true });
    const item = scene.prepare(prepare, 2);
    scene.client.change(uri, [{ range: place(0, 0, 0), text: "\n\n\n" }]);
    scene.restart("one");
    assert.deepEqual(scene.names(ask, item), ["caller"]);
    scene.client.change(uri, [{ range: place(5, 4, 10), text: "others" }]);
    const { error } = scene.ask(ask, { item });
    assert.equal(error?.code, -32801, JSON.stringify(error));
    assert.match(error?.message ?? "", /one/);
  });

  test(`${family} hierarchy: a server that gives no data is asked with the item as it came, but for the first time`, () => {
    const scene = new Scene({ name: "one", marks: false });
    const item = scene.prepare(prepare, 2);
    for (let i = 0; i < 3; i++) assert.deepEqual(scene.names(ask, item), ["caller"]);
    assert.equal(scene.count("one", prepare), 2);
  });
}

test("data of a completion that went without an envelope do not go to the next process", () => {
  const completing = { completionProvider: { resolveProvider: true } };
  const item = { label: "a", data: 1 };
  const sim = new Sim({
    backends: { one: { capabilities: completing, on: { "textDocument/completion": () => ({ result: [item] }) } } },
  });
  const client = sim.client("A");
  client.open(uri, "\n");
  const list = client.ask("textDocument/completion", { textDocument: { uri }, position: place(0, 0, 0).start });
  sim.settle();
  assert.deepEqual(list.answers[0]?.result, [item], "a lone server's plain data pass untouched");
  sim.server("one").exit();
  sim.advance(2_000);
  const resolved = client.ask("completionItem/resolve", item);
  sim.settle();
  assert.deepEqual(resolved.answers[0]?.result, item);
  assert.deepEqual(
    sim.server("one").questions.map(({ method }) => method),
    ["initialize"],
  );
});

test("what is no hierarchy item is refused", () => {
  const scene = new Scene({ name: "one", marks: true });
  const { error } = scene.ask(families.call.ask, { item: { uri, name: "called" } });
  assert.equal(error?.code, -32602);
});
