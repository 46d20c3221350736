/** What a backend is sent so that it holds a text: the client's own bytes where they fit, else the smallest that does. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Backend } from "../../server/core/backends.ts";
import { Client } from "../../server/core/clients.ts";
import { align, closeFrame, isHeld, wantedOf } from "../../server/core/documents/align.ts";
import { Text } from "../../server/core/documents/text.ts";
import { Documents, type Edit, Versions, type View, type Wanted } from "../../server/core/documents.ts";
import type { BackendId, ClientId } from "../../server/core/ports.ts";
import type { Change, Encoding } from "../../server/core/positions.ts";
import { Registrations } from "../../server/core/registrations.ts";
import { notification } from "../../server/wire/compose.ts";
import { isMalformed, type Packet, readPacket } from "../../server/wire/packet.ts";
import { setupOf } from "../sim/setup.ts";

const uri = "file:///w/a.x";
const setup = setupOf({ one: {} })();

function packetOf(method: string, params: unknown): Packet {
  const packet = readPacket(notification(method, params));
  assert.ok(!isMalformed(packet));
  return packet;
}

const opening = (text: string, version: number | null = 1, at = uri): Packet =>
  packetOf("textDocument/didOpen", { textDocument: { uri: at, languageId: "x", version, text } });
const changing = (version: number | null, ...contentChanges: readonly Change[]): Packet =>
  packetOf("textDocument/didChange", { textDocument: { uri, version }, contentChanges });
const insert = (character: number, text: string): Change => ({
  range: { start: { line: 0, character }, end: { line: 0, character } },
  text,
});

class Stage {
  readonly documents = new Documents((path) => (path === "/w/link.x" ? "/w/a.x" : path));
  readonly client = this.newClient(1);
  readonly backend: Backend;

  constructor(sync: 0 | 1 | 2 = 2, encoding: Encoding = "utf-16") {
    const [spec] = setup.backends;
    assert.ok(spec);
    this.backend = new Backend(1 as BackendId, spec, "1", { uri: "file:///w", key: "file:///w", name: "w" });
    this.backend.abilities = new Registrations({ textDocumentSync: { openClose: true, change: sync } });
    this.backend.encoding = encoding;
  }

  newClient(id: number): Client {
    return new Client(id as ClientId, setup);
  }

  open(packet: Packet, client = this.client): View {
    const view = this.documents.open(client, packet, () => "x");
    assert.ok(view);
    return view;
  }

  change(packet: Packet): Edit {
    const edit = this.documents.change(this.client, packet);
    assert.ok(edit);
    return edit;
  }

  /** Opens a text in client and backend. */
  opened(text: string, version = 1): View {
    const view = this.open(opening(text, version));
    this.align(wantedOf(view));
    return view;
  }

  align(wanted: Wanted): readonly Buffer[] {
    return align(this.backend, wanted).map((frame) =>
      frame.length === 1 && frame[0] !== undefined ? frame[0] : Buffer.concat(frame),
    );
  }

  /** What a change of the client leads to, and whether it is the client's own packet. */
  changed(packet: Packet): { raw: boolean; frames: readonly unknown[] } {
    const { view, before, changes } = this.change(packet);
    const frames = this.align(wantedOf(view, { packet, before, changes, encoding: this.client.encoding }));
    return {
      raw: frames.length === 1 && frames[0] === packet.bytes,
      frames: frames.map((frame) => JSON.parse(frame.toString()).params as unknown),
    };
  }
}

const told = (version: number, ...contentChanges: readonly unknown[]) => ({
  textDocument: { uri, version },
  contentChanges,
});

test("a didOpen passes as it came", () => {
  const stage = new Stage();
  const packet = opening("a", 7);
  const wanted = wantedOf(stage.open(packet), { packet, before: null, changes: [], encoding: "utf-16" });
  assert.deepEqual(stage.align(wanted), [packet.bytes]);
  assert.deepEqual(stage.align(wanted), [], "held already");
  assert.equal(stage.backend.docs.get(uri)?.version, 7);
});

test("a didChange passes as it came, when all holds", () => {
  const stage = new Stage();
  stage.opened("a");
  assert.deepEqual(stage.changed(changing(2, insert(0, "x"))), { raw: true, frames: [told(2, insert(0, "x"))] });
  assert.ok(stage.changed(changing(5, insert(0, "é"), insert(1, "z"))).raw);
});

test("else it is the smallest edit, under a version that rises", () => {
  const cases: readonly [string, Stage, Packet, unknown][] = [
    ["version repeats", new Stage(), changing(1, insert(3, "d")), told(2, insert(3, "d"))],
    ["no version", new Stage(), changing(null, insert(3, "d")), told(2, insert(3, "d"))],
    ["whole text", new Stage(), changing(2, { text: "abcd" }), told(2, insert(3, "d"))],
    ["whole text first", new Stage(), changing(2, { text: "abc" }, insert(3, "d")), told(2, insert(3, "d"))],
    ["full server", new Stage(1), changing(2, insert(3, "d")), told(2, { text: "abcd" })],
    ["another encoding", new Stage(2, "utf-8"), changing(2, insert(3, "d")), told(2, insert(3, "d"))],
    ["a pair", new Stage(), changing(2, insert(3, "𝒳")), told(2, insert(3, "𝒳"))],
  ];
  for (const [name, stage, packet, params] of cases) {
    stage.opened("abc");
    assert.deepEqual(stage.changed(packet), { raw: false, frames: [params] }, name);
    assert.equal(
      stage.backend.docs.get(uri)?.text.string,
      stage.documents.viewOf(stage.client, uri)?.text.string,
      name,
    );
  }
});

test("an edit of a text that the backend does not hold just now is never passed as it came", () => {
  const stage = new Stage();
  stage.opened("abc");
  const b = stage.newClient(2);
  stage.align(wantedOf(stage.open(opening("b"), b)));
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
  assert.deepEqual(stage.changed(changing(9, insert(3, "d"))), {
    raw: false,
    frames: [told(9, { range, text: "abcd" })],
  });
});

test("an edit that changes nothing is not sent, whatever its version", () => {
  const stage = new Stage();
  stage.opened("abc");
  assert.deepEqual(stage.changed(changing(2, { text: "abc" })).frames, []);
  assert.deepEqual(stage.changed(changing(3)).frames, []);
  assert.deepEqual(stage.changed(changing(4, insert(0, "x"))).frames, [told(4, insert(0, "x"))]);
});

test("a server that takes no changes is sent none", () => {
  const stage = new Stage(0);
  stage.opened("abc");
  assert.deepEqual(stage.changed(changing(2, insert(0, "x"))).frames, []);
});

test("columns are the server's", () => {
  const stage = new Stage(2, "utf-8");
  stage.opened("é𝒳z");
  assert.deepEqual(stage.changed(changing(2, insert(3, "!"))).frames, [told(2, insert(6, "!"))]);
});

test("a second didOpen replaces the text", () => {
  const stage = new Stage();
  const view = stage.opened("abc", 5);
  assert.equal(stage.open(opening("abX", 1)), view);
  const range = { start: { line: 0, character: 2 }, end: { line: 0, character: 3 } };
  assert.deepEqual(
    stage.align(wantedOf(view)).map((frame) => JSON.parse(frame.toString()).params as unknown),
    [told(6, { range, text: "X" })],
  );
});

test("a file that we opened is closed before the client's own opening, and not the other way", () => {
  const stage = new Stage();
  const ours: Wanted = { uri, key: uri, languageId: "x", version: null, text: Text.of("disk"), by: "disk" };
  const [first] = stage.align(ours);
  assert.match(String(first), /didOpen.*"version":1.*disk/);
  const wanted = wantedOf(stage.open(opening("disk")));
  assert.ok(!isHeld(stage.backend, wanted));
  const frames = stage.align(wanted).map(String);
  assert.equal(frames.length, 2);
  assert.match(frames[0] ?? "", /didClose/);
  assert.match(frames[1] ?? "", /didOpen.*"version":2/);
  assert.ok(isHeld(stage.backend, ours), "as the client has it");
});

test("one document under two spellings: one key, the first opener's spelling for the backend", () => {
  const stage = new Stage();
  const b = stage.newClient(2);
  stage.opened("abc");
  const view = stage.open(opening("abc", 1, "file:///w/link.x"), b);
  assert.equal(view.key, uri);
  assert.ok(isHeld(stage.backend, wantedOf(view)));
  assert.equal(b.oddUris, 1, "not its own real path");
  assert.equal(stage.documents.viewsOf(uri).size, 2);
  assert.equal(stage.documents.viewOf(b, uri), view);
  stage.documents.close(b, "file:///w/link.x");
  assert.equal(b.oddUris, 0);
  assert.equal(stage.documents.viewByKey(b, uri), undefined);
});

test("what cannot be taken", () => {
  const stage = new Stage();
  assert.equal(
    stage.documents.open(stage.client, packetOf("textDocument/didOpen", {}), () => "x"),
    null,
  );
  assert.equal(stage.documents.change(stage.client, changing(1, insert(0, "x"))), null, "not open");
  assert.equal(stage.documents.close(stage.client, uri), null);
  stage.opened("abc");
  const broken = packetOf("textDocument/didChange", {
    textDocument: { uri, version: 2 },
    contentChanges: [{ range: {}, text: "" }],
  });
  assert.equal(stage.documents.change(stage.client, broken), null);
  assert.equal(stage.documents.viewOf(stage.client, uri)?.text.string, "abc");
});

test("a close is told under the backend's spelling", () => {
  const stage = new Stage();
  stage.opened("abc");
  const held = stage.backend.docs.get(uri);
  assert.ok(held);
  assert.match(String(closeFrame(stage.backend, held)), /didClose.*file:\/\/\/w\/a\.x/);
  assert.equal(stage.backend.docs.size, 0);
});

test("versions rise for as long as a process lives", () => {
  const versions = new Versions();
  assert.equal(versions.take("a", 5), 5);
  assert.equal(versions.take("a", 5), 6);
  assert.equal(versions.take("a", null), 7);
  assert.equal(versions.take("a", 2), 8);
  assert.equal(versions.take("a", 20), 20);
  assert.equal(versions.take("b", null), 1);
  assert.ok(versions.rises("a", 21));
  assert.ok(!versions.rises("a", 20));
  assert.ok(!versions.rises("a", null));
});
