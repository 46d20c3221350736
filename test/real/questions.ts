/**
 * The questions asked of every server at the use of one method, each of which fails unless the answer names exactly the
 * places that `expect.ts` says.
 */
import assert from "node:assert/strict";
import type { Fixture, Mark } from "../fixture.ts";
import { type Expected, edits, hoverText, locations, placesOf, type WorkspaceEdit } from "./expect.ts";
import type { Session } from "./session.ts";

/** How files are now. */
export interface Now {
  /** By URI: how much lower its lines stand. */
  readonly lower: ReadonlyMap<string, number>;
  /** URIs of those that the client has open. */
  readonly open: ReadonlySet<string>;
}

/** Nothing opened, nothing changed. */
export const untouched: Now = { lower: new Map(), open: new Set() };

/** One file that the client has open, with its lines so much lower. */
export function opened(uri: string, by: number): Now {
  return { lower: new Map([[uri, by]]), open: new Set([uri]) };
}

export type Question = (session: Session, workspace: Fixture, server: Expected, now: Now) => Promise<void>;

/** Asked at the use of the method. */
export const questions = {
  definition: async ({ client }, workspace, server, now) => {
    const answer = await client.request<never>("textDocument/definition", at(workspace, server, now));
    assert.deepEqual(locations(workspace, answer), places(workspace, server, [server.definition], now), "definition");
  },
  references: async ({ client }, workspace, server, now) => {
    const params = { ...at(workspace, server, now), context: { includeDeclaration: true } };
    const answer = await client.request<never>("textDocument/references", params);
    assert.deepEqual(locations(workspace, answer), places(workspace, server, server.references, now), "references");
  },
  hover: async ({ client }, workspace, server, now) => {
    const answer = await client.request<{ contents: unknown } | null>("textDocument/hover", at(workspace, server, now));
    assert.match(hoverText(answer), server.hover, "hover");
  },
  rename: async ({ client, takesVersions }, workspace, server, now) => {
    const { newName } = server;
    const params = { ...at(workspace, server, now), newName };
    const answer = await client.request<WorkspaceEdit>("textDocument/rename", params);
    if (!takesVersions) assert.equal(answer.documentChanges, undefined, "a form that the client does not take");
    // A file that the client has not opened has no version that it could know; gopls says 0.
    const odd = (answer.documentChanges ?? []).filter(
      ({ textDocument: { uri, version } }) => !now.open.has(uri) && version !== null && version !== 0,
    );
    assert.deepEqual(odd, []);
    assert.deepEqual(
      edits(workspace, answer, newName),
      places(workspace, server, server.references, now),
      `rename: ${JSON.stringify(answer)}`,
    );
  },
} satisfies Readonly<Record<string, Question>>;

export async function answersAreRight(session: Session, workspace: Fixture, server: Expected, now: Now): Promise<void> {
  for (const ask of Object.values(questions)) await ask(session, workspace, server, now);
}

export function useOf(workspace: Fixture, { method }: Expected): Mark {
  return workspace.mark(`use:Metrics.${method}`);
}

function at(workspace: Fixture, server: Expected, now: Now): object {
  const { uri, position } = useOf(workspace, server);
  return {
    textDocument: { uri },
    position: { line: position.line + (now.lower.get(uri) ?? 0), character: position.character },
  };
}

function places(workspace: Fixture, server: Expected, markers: readonly string[], now: Now): readonly string[] {
  return placesOf(workspace, markers, server.method.length, now.lower);
}

/** The text on disk. */
export function textOf(workspace: Fixture, uri: string): string {
  return workspace.textOf(uri.slice(workspace.uri.length + 1));
}

/** An edit at the very beginning of a document. */
export function insert({ client }: Session, uri: string, version: number, text: string): void {
  const start = { line: 0, character: 0 };
  const contentChanges = [{ range: { start, end: start }, text }];
  client.notify("textDocument/didChange", { textDocument: { uri, version }, contentChanges });
}
