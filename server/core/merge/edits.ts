/**
 * Edits of several servers for one thing that is about to happen (a save, a file renamed): all are made for the text as it
 * is, none knows of the others. So what two servers want alike is done once, and where a server's edits of a document meet
 * those of one before it in rank, its edits of that document are left out whole: half of them would be nobody's.
 */
import { isBefore, isRange, isSamePosition, type Range } from "../positions.ts";
import { isObject } from "../settings.ts";
import { stable, withoutEquals } from "./same.ts";

/** The rule "textEdits": TextEdit[] of one document. */
export function textEdits(results: readonly unknown[]): readonly unknown[] {
  return results.reduce<readonly unknown[]>((done, list) => joined(done, Array.isArray(list) ? list : []), []);
}

/** The rule "edits": one WorkspaceEdit; in the older form, without versions, where all are in it. */
export function workspaceEdits(results: readonly unknown[]): unknown {
  const edits = results.filter(isObject);
  const isOld = edits.every(({ documentChanges }) => documentChanges === undefined);
  const documents = new Map<string, Document>();
  const operations: unknown[] = [];
  const annotations: Record<string, unknown> = {};
  for (const edit of edits) {
    Object.assign(annotations, edit.changeAnnotations);
    const changes = changesIn(edit);
    operations.push(...changes.filter((change) => !isDocument(change)));
    for (const [uri, { textDocument, edits }] of byDocument(changes.filter(isDocument))) {
      const known = documents.get(uri);
      documents.set(uri, { textDocument, ...known, edits: joined(known?.edits ?? [], edits) });
    }
  }
  const list = [...documents.values()];
  const more = Object.keys(annotations).length > 0 ? { changeAnnotations: annotations } : {};
  if (isOld) return { changes: Object.fromEntries(list.map((one) => [one.textDocument.uri, one.edits])), ...more };
  // Files are made and renamed behind the edits, which name them as they are now.
  return { documentChanges: [...list, ...withoutEquals(operations, stable)], ...more };
}

/** One server's edits of each document together. */
function byDocument(changes: readonly Document[]): ReadonlyMap<string, Document> {
  const documents = new Map<string, Document>();
  for (const { textDocument, edits } of changes) {
    const known = documents.get(textDocument.uri);
    documents.set(textDocument.uri, { textDocument, edits: [...(known?.edits ?? []), ...edits] });
  }
  return documents;
}

interface Document {
  readonly textDocument: { readonly uri: string; readonly version: unknown };
  readonly edits: readonly unknown[];
}

/** The edits of one more server, unless they meet those that are there. */
function joined(there: readonly unknown[], more: readonly unknown[]): readonly unknown[] {
  const known = new Set(there.map(stable));
  const fresh = more.filter((edit) => !known.has(stable(edit)));
  const meets = fresh.some((edit) => there.some((other) => overlap(rangeOf(edit), rangeOf(other))));
  return meets ? there : [...there, ...fresh];
}

/** Two insertions at one place meet: in which order they would stand is nobody's word. */
function overlap(a: Range | null, b: Range | null): boolean {
  if (a === null || b === null) return true;
  if (isSamePosition(a.start, b.start)) return true;
  return isBefore(a.start, b.end) && isBefore(b.start, a.end);
}

function rangeOf(edit: unknown): Range | null {
  return isObject(edit) && isRange(edit.range) ? edit.range : null;
}

function changesIn({ documentChanges, changes }: { readonly [key: string]: unknown }): readonly unknown[] {
  if (Array.isArray(documentChanges)) return documentChanges;
  const byUri = isObject(changes) ? Object.entries(changes) : [];
  return byUri.map(([uri, edits]) => ({ textDocument: { uri, version: null }, edits }));
}

function isDocument(change: unknown): change is Document {
  return (
    isObject(change) &&
    isObject(change.textDocument) &&
    typeof change.textDocument.uri === "string" &&
    Array.isArray(change.edits)
  );
}
