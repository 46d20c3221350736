/**
 * Answers in the poorer forms of LSP 3.18, for clients that did not announce the richer ones: completions without snippets and
 * markdown, signatures without offsets, actions as commands. Pure; which client gets which is `forms.ts`'s.
 */
import type { ClientCapabilities } from "../../protocol/messages.ts";
import { isObject, lookUp } from "../settings.ts";
import { plainText } from "./markdown.ts";

type Item = { readonly [key: string]: unknown };

/** Whether a client takes markdown as documentation, at a path of its capabilities that ends in the list of formats. */
export function takesMarkdown(client: ClientCapabilities, path: string): boolean {
  const formats = lookUp(client, path);
  return Array.isArray(formats) && formats.includes("markdown");
}

export function takesSnippets({ textDocument }: ClientCapabilities): boolean {
  return textDocument?.completion?.completionItem?.snippetSupport === true;
}

// ---- Completion ---------------------------------------------------------------------------------------------------------

export const COMPLETION_FORMATS = "textDocument.completion.completionItem.documentationFormat";

/** A list, its items alone, or one item that was resolved. */
export function plainCompletions(result: unknown, client: ClientCapabilities): unknown {
  if (Array.isArray(result)) return result.map((item) => plainItem(item, client));
  if (!isObject(result)) return result;
  if (Array.isArray(result.items)) return { ...result, items: result.items.map((item) => plainItem(item, client)) };
  return plainItem(result, client);
}

function plainItem(item: unknown, client: ClientCapabilities): unknown {
  if (!isObject(item)) return item;
  const documented = takesMarkdown(client, COMPLETION_FORMATS) ? item : withPlainDocumentation(item);
  if (takesSnippets(client) || documented.insertTextFormat !== SNIPPET) return documented;
  const { insertTextFormat: _, ...rest } = documented;
  const { textEdit, insertText } = rest;
  return {
    ...rest,
    ...(typeof insertText === "string" && { insertText: snippetText(insertText) }),
    ...(isObject(textEdit) &&
      typeof textEdit.newText === "string" && { textEdit: { ...textEdit, newText: snippetText(textEdit.newText) } }),
    // Then the label would be inserted, which is none.
    ...(insertText === undefined && textEdit === undefined && { insertText: snippetText(String(item.label)) }),
  };
}

/** LSP's InsertTextFormat. */
const SNIPPET = 2;

/** What a snippet inserts when nothing is filled in: defaults, first choices, no variables (LSP 3.18, Snippet Syntax). */
export function snippetText(snippet: string): string {
  let at = 0;
  const until = (end: string): string => {
    let text = "";
    while (at < snippet.length && !snippet.startsWith(end || "\0", at)) {
      const c = snippet[at] ?? "";
      at++;
      if (c === "\\" && at < snippet.length) text += escaped();
      else if (c === "$") text += placeholder();
      else text += c;
    }
    at += end.length;
    return text;
  };
  const escaped = (): string => {
    const c = snippet[at] ?? "";
    at++;
    return "$}\\,|".includes(c) ? c : `\\${c}`;
  };
  const placeholder = (): string => {
    const name = /^(?:\{(?:\d+|[A-Za-z_]\w*)|\d+|[A-Za-z_]\w*)/.exec(snippet.slice(at, at + 64))?.[0];
    if (name === undefined) return "$";
    at += name.length;
    if (!name.startsWith("{")) return "";
    const what = snippet[at];
    at++;
    if (what === ":") return until("}");
    if (what === "|") return until("|}").replace(/,.*$/s, "");
    // A transformation of what is not there.
    if (what === "/") until("}");
    return "";
  };
  return until("");
}

// ---- Signatures ---------------------------------------------------------------------------------------------------------

export const SIGNATURE = "textDocument.signatureHelp.signatureInformation";

export function plainSignatures(result: unknown, client: ClientCapabilities): unknown {
  if (!isObject(result) || !Array.isArray(result.signatures)) return result;
  const isPlain = !takesMarkdown(client, `${SIGNATURE}.documentationFormat`);
  const hasOffsets = lookUp(client, `${SIGNATURE}.parameterInformation.labelOffsetSupport`) === true;
  const signatures = result.signatures.map((signature) => {
    if (!isObject(signature)) return signature;
    const parameters = Array.isArray(signature.parameters)
      ? signature.parameters.filter(isObject).map((parameter) => {
          const label = hasOffsets ? parameter.label : spelled(signature.label, parameter.label);
          return { ...(isPlain ? withPlainDocumentation(parameter) : parameter), label };
        })
      : undefined;
    const documented = isPlain ? withPlainDocumentation(signature) : signature;
    return { ...documented, ...(parameters !== undefined && { parameters }) };
  });
  return { ...result, signatures };
}

/** A parameter's label as the part of its signature that it stands for. */
function spelled(signature: unknown, label: unknown): unknown {
  if (!Array.isArray(label) || typeof signature !== "string") return label;
  return signature.slice(Number(label[0]), Number(label[1]));
}

function withPlainDocumentation(item: Item): Item {
  const { documentation } = item;
  return isObject(documentation) && documentation.kind === "markdown"
    ? { ...item, documentation: plainText(documentation).value }
    : item;
}

// ---- Code actions -------------------------------------------------------------------------------------------------------

const ACTION = "textDocument.codeAction";

/** Whether a client takes actions in every form. */
export function takesActions(client: ClientCapabilities): boolean {
  return knowsLiterals(client) && knowsDisabled(client) && resolvesEdits(client);
}

/** Actions that a client cannot use are left out: in literals, disabled ones, and those whose edits do what it cannot. */
export function usableActions(result: unknown, client: ClientCapabilities): unknown {
  if (!Array.isArray(result)) return result;
  return result.flatMap((action) => {
    if (!isObject(action) || typeof action.command === "string") return action;
    if (!knowsDisabled(client) && action.disabled !== undefined) return [];
    if (!doesOperations(client, action.edit)) return [];
    if (knowsLiterals(client)) return action;
    // LSP 3.18, codeActionLiteralSupport: to others a command alone can be said.
    return action.edit === undefined && isObject(action.command) ? action.command : [];
  });
}

/** Indexes of actions without an edit or command, which a client that cannot resolve them could not use. */
export function unresolvedActions(result: unknown, client: ClientCapabilities): readonly number[] {
  if (!Array.isArray(result) || resolvesEdits(client)) return [];
  return result.flatMap((action, i) =>
    isObject(action) && action.edit === undefined && action.command === undefined && action.disabled === undefined
      ? [i]
      : [],
  );
}

function knowsLiterals(client: ClientCapabilities): boolean {
  return isObject(lookUp(client, `${ACTION}.codeActionLiteralSupport`));
}

function knowsDisabled(client: ClientCapabilities): boolean {
  return lookUp(client, `${ACTION}.disabledSupport`) === true;
}

function resolvesEdits(client: ClientCapabilities): boolean {
  const properties = lookUp(client, `${ACTION}.resolveSupport.properties`);
  return Array.isArray(properties) && properties.includes("edit");
}

/** Whether a client can create, rename or delete files where an edit does. */
function doesOperations({ workspace }: ClientCapabilities, edit: unknown): boolean {
  const changes = lookUp(edit, "documentChanges");
  if (!Array.isArray(changes)) return true;
  const known: readonly unknown[] = workspace?.workspaceEdit?.resourceOperations ?? [];
  return changes.every((change) => !isObject(change) || change.kind === undefined || known.includes(change.kind));
}
