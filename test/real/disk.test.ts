/**
 * Changes on disk that the client says nothing of: as soon as our own watch has told the server, its answers are about the
 * files as they are now, also those that were open on our account.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import type { Fixture } from "../fixture.ts";
import { type Expected, expected, type Place, place, placesOf, type SymbolFound, symbols } from "./expect.ts";
import { answersAreRight, textOf, useOf } from "./questions.ts";
import { type Session, serve } from "./session.ts";

/** How long a server that watches by itself may take to see a change, ms. */
const PATIENCE = 10_000;

/** clangd watches nothing and keeps what it has indexed: only what is open in it changes. */
const watching = expected.filter(({ server }) => server !== "clangd");

for (const server of watching) {
  const title = `${server.server}: new and changed files are seen without a word of the client`;
  const { fixture, server: name } = server;
  const ask = async (session: Session, workspace: Fixture) => {
    await session.initialize();
    const before = await found(session, workspace, server, server.method);
    assert.equal(before.length, server.symbols.length);
    await session.logged(new RegExp(`${workspace.root} is being watched`));

    // A new one.
    const { fresh } = server;
    assert.deepEqual(await found(session, workspace, server, fresh.name), []);
    await write(session, server, workspace.uriOf(fresh.file), fresh.text);
    const { also } = fresh;
    if (also) await write(session, server, workspace.uriOf(also.file), workspace.textOf(also.file) + also.text);
    const { noted } = fresh;
    if (noted) await session.client.until(String(noted), (seen) => noted.test(messageOf(seen.params)));
    const end = fresh.character + fresh.name.length;
    const range = { start: { line: 0, character: fresh.character }, end: { line: 0, character: end } };
    const wanted = [place(workspace, workspace.uriOf(fresh.file), range)];
    await holds(server, async () => assert.deepEqual(await found(session, workspace, server, fresh.name), wanted));

    // Changed ones: first that of the declaration, then that of the use, which the questions have opened on our account.
    const lower = new Map<string, number>();
    const use = useOf(workspace, server).uri;
    for (const uri of [workspace.mark(server.definition).uri, use]) {
      await write(session, server, uri, server.blank + textOf(workspace, uri));
      if (uri === use) await session.logged(new RegExp(`holds ${uri} as`));
      lower.set(uri, 2);
      const now = { lower, open: new Set<string>() };
      const places = placesOf(workspace, server.symbols, server.method.length, lower);
      await holds(server, async () => {
        assert.deepEqual(await found(session, workspace, server, server.method), places);
        await answersAreRight(session, workspace, server, now);
      });
    }
  };
  serve(title, [fixture], ask, { [fixture]: name });
}

async function found(
  { client }: Session,
  workspace: Fixture,
  { pointsAt }: Expected,
  query: string,
): Promise<readonly Place[]> {
  const answer = await client.request<SymbolFound[]>("workspace/symbol", { query });
  const exact = answer.filter(({ name }) => name.replace(/\(\)$/, "").split(".").at(-1) === query);
  return symbols(workspace, exact, pointsAt);
}

/** Changes a file, and waits until a server that does not watch by itself was told. */
async function write(session: Session, { watches }: Expected, uri: string, text: string): Promise<void> {
  writeFileSync(new URL(uri), text);
  if (watches !== "itself") await session.logged(new RegExp(`told of .*${uri}`));
}

/** What holds at once, or, where a server watches by itself, as soon as it has seen what there is to see. */
async function holds({ watches }: Expected, check: () => Promise<void>): Promise<void> {
  for (const end = Date.now() + PATIENCE; ; )
    try {
      return await check();
    } catch (fault) {
      if (watches !== "itself" || Date.now() > end) throw fault;
    }
}

function messageOf(params: unknown): string {
  return (params as { message?: string } | undefined)?.message ?? "";
}
