/**
 * The questions asked of every server at the use of one method, each of which fails unless the answer names exactly the
 * places that `expect.ts` says.
 */
import assert from "node:assert/strict";
import type { Fixture, Mark } from "../fixture.ts";
import { type Expected, edits, hoverText, locations, placesOf, type WorkspaceEdit } from "./expect.ts";
import type { Session } from "./session.ts";

export type Question = (session: Session, workspace: Fixture, server: Expected, down: number) => Promise<void>;

/** Asked at the use of the method; `down`: the client has the file open and its lines stand so much lower. */
export const questions: Readonly<Record<string, Question>> = {
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
    assert.deepEqual(
      edits(workspace, answer, newName),
      places(workspace, server, server.references, down),
      `rename: ${JSON.stringify(answer)}`,
    );
  },
};

export async function answersAreRight(
  session: Session,
  workspace: Fixture,
  server: Expected,
  down: number,
): Promise<void> {
  for (const ask of Object.values(questions)) await ask(session, workspace, server, down);
}

export function useOf(workspace: Fixture, { method }: Expected): Mark {
  return workspace.mark(`use:Metrics.${method}`);
}

function at(workspace: Fixture, server: Expected, down: number): object {
  const { uri, position } = useOf(workspace, server);
  return { textDocument: { uri }, position: { line: position.line + down, character: position.character } };
}

function places(workspace: Fixture, server: Expected, markers: readonly string[], down: number): readonly string[] {
  return placesOf(workspace, markers, server.method.length, { uri: useOf(workspace, server).uri, by: down });
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
