/** The ledger: ids of ours, each call closed once, answers only from who was asked. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Backend } from "../../server/core/backends.ts";
import { Calls, type NewCall } from "../../server/core/calls.ts";
import { Client } from "../../server/core/clients.ts";
import type { BackendId, ClientId } from "../../server/core/ports.ts";
import { rowOf } from "../../server/protocol/methods.ts";
import { request } from "../../server/wire/compose.ts";
import { isMalformed, readPacket } from "../../server/wire/packet.ts";
import { setupOf } from "../sim/setup.ts";

const setup = setupOf({ one: {}, two: {} })();
const client = (id: number): Client => new Client(id as ClientId, setup);

function backend(id: number): Backend {
  const spec = setup.backends[id - 1];
  assert.ok(spec);
  return new Backend(id as BackendId, spec, `${id}`, { uri: "file:///w", key: "file:///w", name: "w" });
}

function question(): NewCall {
  const row = rowOf("textDocument/hover");
  const packet = readPacket(request(1, "textDocument/hover", {}));
  assert.ok(row !== undefined && !isMalformed(packet));
  const none = { client: null, uri: null, key: null, language: null, hint: null, asked: null, gateUntil: null };
  return { method: row.method, row, packet, deadline: 0, ...none };
}

test("one id is in use once an origin; 1 and '1' are two", () => {
  const calls = new Calls();
  const [a, b] = [client(1), client(2)];
  const first = calls.open(a, 1, question());
  assert.ok(first);
  assert.equal(calls.open(a, 1, question()), null);
  assert.ok(calls.open(a, "1", question()));
  assert.ok(calls.open(b, 1, question()));
  assert.ok(calls.open(a, 0, question()));
  assert.equal(calls.find(a, 1), first);
  assert.deepEqual(
    calls.of(a).map(({ originId }) => originId),
    [1, "1", 0],
  );
  assert.ok(calls.close(first, "answered"));
  assert.ok(!calls.close(first, "cancelled"), "once");
  assert.equal(first.state, "answered");
  assert.equal(calls.find(a, 1), undefined);
  assert.ok(calls.open(a, 1, question()), "free again");
});

test("wire ids are ours: positive, distinct over all peers, and settled by who was asked", () => {
  const calls = new Calls();
  const [one, two] = [backend(1), backend(2)];
  const call = calls.open(client(1), "x", question());
  assert.ok(call);
  const legs = [calls.addLeg(call, one), calls.addLeg(call, two)];
  const ids = legs.map((leg) => calls.sent(leg, 5));
  assert.deepEqual(ids, [1, 2]);
  assert.deepEqual(
    legs.map(({ state, sentAt }) => [state, sentAt]),
    [
      ["sent", 5],
      ["sent", 5],
    ],
  );
  assert.deepEqual(calls.awaitedFrom(one), [legs[0]]);
  assert.equal(calls.settle(two, 1), null, "asked somebody else");
  assert.equal(calls.settle(one, "1"), null, "another type");
  assert.equal(calls.settle(one, null), null);
  assert.equal(calls.settle(one, 3), null);
  assert.equal(calls.settle(one, 1), legs[0]);
  assert.equal(calls.settle(one, 1), null, "once");
  assert.deepEqual(calls.size, { calls: 1, legs: 1 });
});

test("a leg that is sent again has a new id, and the old one is nobody's", () => {
  const calls = new Calls();
  const one = backend(1);
  const call = calls.open(client(1), 1, question());
  assert.ok(call);
  const leg = calls.addLeg(call, one);
  const first = calls.sent(leg, 0);
  calls.forget(leg);
  const second = calls.sent(leg, 1);
  assert.notEqual(first, second);
  assert.equal(calls.settle(one, first), null);
  assert.equal(calls.settle(one, second), leg);
});
