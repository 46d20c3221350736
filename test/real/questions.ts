/**
 * The questions asked of every server at the use of one method, each of which fails unless the answer names exactly the
 * places that `expect.ts` says.
 */
import assert from "node:assert/strict";
import type { Fixture, Mark } from "../fixture.ts";
import { type Expected, edits, hoverText, locations, placesOf, type WorkspaceEdit } from "./expect.ts";
import type { Session } from "./session.ts";

/** How much lower the lines of the file of the use stand where the client has it open; null: it has not. */
export type Down = number | null;

export type Question = (session: Session, workspace: Fixture, server: Expected, down: Down) => Promise<void>;

/** Asked at the use of the method. */
export const questions = {
  definition: async ({ client }, workspace, server, down) => {
    const answer = await client.request<never>("textDocument/definition", at(workspace, server, down));
    assert.deepEqual(locations(workspace, answer), places(workspace, server, [server.definition], down), "definition");
  },
  references: async ({ client }, workspace, server, down) => {
    const params = { ...at(workspace, server, down), context: { includeDeclaration: true } };
    const answer = await client.request<never>("textDocument/references", params);
    assert.deepEqual(locations(workspace, answer), places(workspace, server, server.references, down), "references");
  },
  hover: async ({ client }, workspace, server, down) => {
    const answer = await client.request<{ contents: unknown } | null>(
      "textDocument/hover",
      at(workspace, server, down),
    );
    assert.match(hoverText(answer), server.hover, "hover");
  },
  rename: async ({ client }, workspace, server, down) => {
    const { newName } = server;
    const params = { ...at(workspace, server, down), newName };
    const answer = await client.request<WorkspaceEdit>("textDocument/rename", params);
    const { uri } = useOf(workspace, server);
    // A file that the client has not opened has no version that it could know; gopls says 0.
    const odd = (answer.documentChanges ?? []).filter(
      ({ textDocument: { uri: of, version } }) => (down === null || of !== uri) && version !== null && version !== 0,
    );
    assert.deepEqual(odd, []);
    assert.deepEqual(
      edits(workspace, answer, newName),
      places(workspace, server, server.references, down),
      `rename: ${JSON.stringify(answer)}`,
    );
  },
} satisfies Readonly<Record<string, Question>>;

export async function answersAreRight(
  session: Session,
  workspace: Fixture,
  server: Expected,
  down: Down,
): Promise<void> {
  for (const ask of Object.values(questions)) await ask(session, workspace, server, down);
}

export function useOf(workspace: Fixture, { method }: Expected): Mark {
  return workspace.mark(`use:Metrics.${method}`);
}

function at(workspace: Fixture, server: Expected, down: Down): object {
  const { uri, position } = useOf(workspace, server);
  return { textDocument: { uri }, position: { line: position.line + (down ?? 0), character: position.character } };
}

function places(workspace: Fixture, server: Expected, markers: readonly string[], down: Down): readonly string[] {
  return placesOf(workspace, markers, server.method.length, { uri: useOf(workspace, server).uri, by: down ?? 0 });
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
