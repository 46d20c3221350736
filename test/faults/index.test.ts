/** The index of names in its real process, whatever has become of what it keeps on disk, and of the folder meanwhile. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { type CandidatesAnswer, S } from "../../server/syntax/questions.ts";
import { Client } from "../client.ts";
import { isolated, type Planted, planted } from "../planted.ts";
import { program } from "../program.ts";

class Place {
  readonly tree: Planted;
  readonly own = planted();
  readonly #clients: Client[] = [];

  constructor(t: TestContext, files: Readonly<Record<string, string>>) {
    this.tree = planted(files);
    t.after(async () => {
      for (const client of this.#clients) await client.kill();
      for (const folder of [this.tree, this.own]) folder.remove();
    });
  }

  async start(): Promise<Client> {
    const client = new Client([process.execPath, program, "syntax", "--stdio"], {
      env: isolated(this.own.root),
      patience: 60_000,
    });
    this.#clients.push(client);
    await client.initialize([this.tree.root]);
    return client;
  }

  /** Names of the files that hold a name, in order. */
  async holding(client: Client, name: string): Promise<string> {
    const answer = await client.request<CandidatesAnswer>(S.candidates, {
      ...{ folders: [this.tree.uri], name, match: "exact", languages: ["go"] },
      ...{ served: ["go"], path: null, limit: 1000, waitMs: 60_000 },
    });
    assert.equal(answer.whole, true, name);
    const start = this.tree.uri.length + 1;
    return answer.uris
      .map((uri) => uri.slice(start))
      .sort()
      .join(" ");
  }

  /** The file of the index, once it is written. */
  get kept(): string {
    const folder = this.own.pathOf("cache/switchboard/cache/names");
    const [name, ...others] = readdirSync(folder);
    assert.deepEqual(others, []);
    return join(folder, name ?? "");
  }
}

const files = { "a.go": "package a\nfunc alpha() {}\n", "sub/b.go": "package sub\nvar beta = alpha\n" };

test("a kept index that is damaged, or of another version, is made anew; what cannot be kept is said", async (t) => {
  const place = new Place(t, files);
  await (await place.start()).stop();
  const asked = await place.start();
  assert.equal(await place.holding(asked, "alpha"), "a.go sub/b.go");
  await asked.stop();
  const { kept } = place;
  const whole = readFileSync(kept);
  const flipped = Buffer.from(whole);
  flipped[whole.length >> 1] = (flipped[whole.length >> 1] ?? 0) ^ 4;
  const newer = Buffer.from(whole);
  newer.writeUInt32LE(99, 8);
  for (const [what, bytes] of Object.entries({ cut: whole.subarray(0, 100), none: "", flipped, newer })) {
    writeFileSync(kept, bytes);
    const client = await place.start();
    assert.equal(await place.holding(client, "alpha"), "a.go sub/b.go", what);
    await client.stop();
    assert.deepEqual(readFileSync(kept).subarray(0, 12), whole.subarray(0, 12), `${what}: written anew`);
  }
  // A file stands where its folder would be: as little can be written as on a full or a read-only disk.
  rmSync(dirname(kept), { recursive: true });
  writeFileSync(dirname(kept), "");
  const client = await place.start();
  assert.equal(await place.holding(client, "beta"), "sub/b.go");
  await client.until("that it is not kept", ({ method, params }) => {
    return method === "window/logMessage" && /is not kept: /.test(JSON.stringify(params));
  });
  await client.stop();
});

test("a process killed at any moment leaves an index that the next one takes, or none", async (t) => {
  const many = Object.fromEntries(
    Array.from({ length: 300 }, (_, i) => [`f${i}.go`, `package a\nvar name${i}, common = ${i}, ${"x".repeat(i)}\n`]),
  );
  const place = new Place(t, many);
  for (let round = 0; round < 4; round++) {
    const client = await place.start();
    const asking = place.holding(client, `name${round}`);
    if (round % 2 === 0) assert.equal(await asking, `f${round}.go`);
    else asking.catch(() => {});
    const gone = once(client.process, "exit");
    client.process.kill("SIGKILL");
    await gone;
  }
  const client = await place.start();
  assert.equal((await place.holding(client, "common")).split(" ").length, 300);
  await client.stop();
});

test("two processes on one folder answer alike, and so does who comes after them", async (t) => {
  const place = new Place(t, files);
  const [one, other] = [await place.start(), await place.start()];
  assert.deepEqual(await Promise.all([place.holding(one, "alpha"), place.holding(other, "alpha")]), [
    "a.go sub/b.go",
    "a.go sub/b.go",
  ]);
  place.tree.write("c.go", "package a\nvar gamma = alpha\n");
  assert.equal(await place.holding(one, "gamma"), "c.go");
  await Promise.all([one.stop(), other.stop()]);
  const third = await place.start();
  assert.equal(await place.holding(third, "alpha"), "a.go c.go sub/b.go");
  await third.stop();
});

test("what happened to the folder while nobody looked is seen: another content, a move, another case, a file gone", async (t) => {
  const place = new Place(t, {
    ...files,
    "old/c.go": "package c\nvar gamma int\n",
    "Name.go": "package a\nvar delta int\n",
  });
  const before = await place.start();
  assert.equal(await place.holding(before, "gamma"), "old/c.go");
  await before.stop();
  const change = (): void => {
    const { atime, mtime } = statSync(place.tree.pathOf("a.go"));
    place.tree.write("a.go", files["a.go"].replace("alpha", "omega"));
    utimesSync(place.tree.pathOf("a.go"), atime, mtime);
    renameSync(place.tree.pathOf("old"), place.tree.pathOf("moved"));
    renameSync(place.tree.pathOf("Name.go"), place.tree.pathOf("name.go"));
    rmSync(place.tree.pathOf("sub/b.go"));
  };
  change();
  const isSeen = async (client: Client): Promise<void> => {
    const found = await Promise.all(
      ["alpha", "omega", "gamma", "delta", "beta"].map((name) => place.holding(client, name)),
    );
    assert.deepEqual(found, ["", "a.go", "moved/c.go", "name.go", ""]);
  };
  const after = await place.start();
  await isSeen(after);
  await after.stop();
});
