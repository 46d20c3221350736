/**
 * The syntax backend as a language server on stdio (`switchboard syntax --stdio`): LSP's methods and our own, each answered
 * in a few lines from `texts.ts` and `requests.ts`. What it says of names it says by name alone, and marks it so.
 */
import {
  type Connection,
  createConnection,
  DocumentHighlightKind,
  FoldingRangeKind,
  type InitializeResult,
  ProposedFeatures,
  ResponseError,
  type SelectionRange,
  TextDocumentSyncKind,
} from "vscode-languageserver/node.js";
import { linesOf, textIn } from "../core/positions.ts";
import { pathOf } from "../core/uris.ts";
import { errors } from "../protocol/errors.ts";
import { M } from "../protocol/methods.ts";
import { version } from "../version.ts";
import { Catalogue } from "./catalogue.ts";
import { type NestedSymbol, nested } from "./declared.ts";
import { filesIn } from "./files.ts";
import { Failure } from "./jobs.ts";
import { Parsing } from "./parse.ts";
import {
  type DeclarationsQuestion,
  type Failing,
  type MentionsQuestion,
  type OutlineQuestion,
  S,
  type SearchQuestion,
} from "./questions.ts";
import { declarationsOf, declaredIn, fitter, mentionsOf, nameAt, symbolsFor, usesIn } from "./requests.ts";
import { searched } from "./search.ts";
import { grammarNames } from "./served.ts";
import { Texts } from "./texts.ts";

/** Initialization options. */
interface Options {
  /** Languages whose symbols `workspace/symbol` lists; default: all that a grammar reads. */
  readonly languages?: readonly string[];
}

const LIST_MS = 5000;

export function serveSyntax(): void {
  const connection = createConnection(ProposedFeatures.all, process.stdin, process.stdout);
  const parsing = new Parsing({ log: (text) => connection.console.warn(text) });
  const texts = new Texts(parsing);
  const folders = new Map<string, string>();
  const files = filesIn(() => [...folders.keys()]);
  let listed: ReadonlySet<string> = new Set(grammarNames.keys());

  connection.onInitialize(({ workspaceFolders, rootUri, initializationOptions }): InitializeResult => {
    const named = workspaceFolders ?? (rootUri === null ? [] : [{ uri: rootUri, name: "" }]);
    for (const { uri, name } of named) folders.set(uri, name);
    const options: Options = initializationOptions ?? {};
    if (options.languages !== undefined) listed = new Set(options.languages);
    return {
      serverInfo: { name: "syntax", version },
      capabilities: {
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental },
        documentSymbolProvider: true,
        workspaceSymbolProvider: true,
        definitionProvider: true,
        referencesProvider: true,
        documentHighlightProvider: true,
        foldingRangeProvider: true,
        selectionRangeProvider: true,
        workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      },
    };
  });
  connection.onNotification(M.didChangeWorkspaceFolders, ({ event }) => {
    for (const { uri } of event.removed) folders.delete(uri);
    for (const { uri, name } of event.added) folders.set(uri, name);
  });
  connection.onShutdown(() => parsing.close());

  connection.onDidOpenTextDocument(({ textDocument: { uri, languageId, version: number, text } }) =>
    texts.open(uri, languageId, number, text),
  );
  connection.onDidChangeTextDocument(({ textDocument: { uri, version: number }, contentChanges }) =>
    texts.change(uri, number, contentChanges),
  );
  connection.onDidCloseTextDocument(({ textDocument: { uri } }) => texts.close(uri));

  standard(connection, texts, files, () => listed);
  own(connection, texts, parsing);
  connection.listen();
}

/** The params of what is asked about a document. */
interface Of {
  readonly textDocument: { readonly uri: string };
}

/** LSP's methods: of facts an error says why there are none, decorations are left out. */
function standard(
  connection: Connection,
  texts: Texts,
  files: ReturnType<typeof filesIn>,
  listed: () => ReadonlySet<string>,
): void {
  connection.onRequest(M.documentSymbol, ({ textDocument: { uri } }: Of) =>
    told(uri, async () => nested(await texts.outline(uri, true), texts.languageOf(uri), () => true)),
  );
  connection.onRequest(M.workspaceSymbol, ({ query }: { query: string }) =>
    symbolsFor(texts, files, query, listed(), performance.now() + LIST_MS),
  );
  connection.onDefinition(({ textDocument: { uri }, position }) =>
    told(uri, () => declarationsOf(texts, files, uri, position)),
  );
  connection.onReferences(({ textDocument: { uri }, position, context }) =>
    told(uri, () => mentionsOf(texts, files, uri, position, context.includeDeclaration)),
  );
  connection.onDocumentHighlight(({ textDocument: { uri }, position }) =>
    orEmpty([], async () => {
      const at = nameAt(await texts.text(uri), position);
      const ranges = at === null ? [] : await texts.ask(uri, { what: "mentions", name: at.name }, true);
      return ranges.map((range) => ({ range, kind: DocumentHighlightKind.Text }));
    }),
  );
  connection.onFoldingRanges(({ textDocument: { uri } }) =>
    orEmpty([], async () =>
      (await texts.ask(uri, { what: "folds" }, true)).map(({ startLine, endLine, comment }) => ({
        startLine,
        endLine,
        ...(comment && { kind: FoldingRangeKind.Comment }),
      })),
    ),
  );
  connection.onSelectionRanges(({ textDocument: { uri }, positions }) =>
    orEmpty(null, async () => {
      const chains = await texts.ask(uri, { what: "around", positions }, true);
      return chains.map((ranges, i): SelectionRange => {
        const [first, ...outer] = ranges.toReversed();
        const position = positions[i] ?? { line: 0, character: 0 };
        const start: SelectionRange = { range: first ?? { start: position, end: position } };
        return outer.reduce((parent, range): SelectionRange => ({ range, parent }), start);
      });
    }),
  );
}

/** What the core asks for requests of ours. */
function own(connection: Connection, texts: Texts, parsing: Parsing): void {
  connection.onRequest(S.outline, (question: OutlineQuestion) =>
    told(question.file.uri, () => outlined(texts, question)),
  );
  connection.onRequest(S.declarations, (question: DeclarationsQuestion) => {
    const { files, name, match = "exact", timeoutMs = LIST_MS } = question;
    return declaredIn(
      texts,
      files,
      name === undefined ? () => true : fitter(name, match),
      performance.now() + timeoutMs,
    );
  });
  connection.onRequest(S.mentions, (question: MentionsQuestion) => usesIn(texts, question));
  const catalogues = new Map<string, Catalogue>();
  connection.onRequest(S.search, (question: SearchQuestion) => {
    const catalogue = catalogues.get(question.scope) ?? new Catalogue(texts);
    catalogues.set(question.scope, catalogue);
    return searched(catalogue, question);
  });
  connection.onRequest(S.status, () => ({ ...parsing.counts, waiting: parsing.load }));
}

/** The declarations of a file; of what functions hold only functions. */
async function outlined(texts: Texts, { file, depth, bodies }: OutlineQuestion): Promise<object[]> {
  const deepest = depth ?? Number.POSITIVE_INFINITY;
  const outline = await texts.outlineOf(file, true);
  const symbols = nested(
    outline,
    file.language,
    ({ local, kind }, at) => at <= deepest && (!local || kind === "function"),
  );
  return bodies ? withBodies(symbols, await texts.textOf(file)) : symbols;
}

function withBodies(symbols: readonly NestedSymbol[], text: string): object[] {
  const whole = { string: text, lines: linesOf(text) };
  const visit = (some: readonly NestedSymbol[]): object[] =>
    some.map(({ children, ...one }) => {
      const body = textIn(whole, one.range, "utf-16");
      return { ...one, body, ...(children !== undefined && { children: visit(children) }) };
    });
  return visit(symbols);
}

/** What cannot be told is an error that says why, for an empty answer would mean that there is nothing. */
async function told<T>(uri: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (fault) {
    if (!(fault instanceof Failure)) throw fault;
    const path = pathOf(uri) ?? uri;
    const { code, message, data } = reason(fault.code, path, fault.message);
    throw new ResponseError(code, message, data);
  }
}

function reason(code: Failing, path: string, said: string): ReturnType<typeof errors.noGrammar> {
  return code === "noGrammar" ? errors.noGrammar(path) : errors.unreadable(path, said);
}

async function orEmpty<T>(empty: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (fault) {
    if (fault instanceof Failure) return empty;
    throw fault;
  }
}
