/**
 * The syntax backend as a language server on stdio (`switchboard syntax --stdio`): LSP's methods and our own, each answered
 * in a few lines from `texts.ts` and `requests.ts`. What it says of names it says by name alone, and marks it so.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type Connection,
  createConnection,
  DidChangeWatchedFilesNotification,
  DocumentHighlightKind,
  FoldingRangeKind,
  type InitializeResult,
  ProposedFeatures,
  ResponseError,
  type SelectionRange,
  TextDocumentSyncKind,
} from "vscode-languageserver/node.js";
import { builtIn, type IndexConfig } from "../config/config.ts";
import { cacheFolder, thisMachine } from "../config/places.ts";
import { pathOf } from "../core/documents/uris.ts";
import { linesOf, textIn } from "../core/positions.ts";
import { isBelow } from "../host/listing.ts";
import { errors } from "../protocol/errors.ts";
import { M } from "../protocol/methods.ts";
import { version } from "../version.ts";
import { type NestedSymbol, nested } from "./declared.ts";
import { candidatesFor, filesIn } from "./files.ts";
import { Catalogue } from "./index/catalogue.ts";
import { declaresNone } from "./index/declares.ts";
import { Indexes, Keeper } from "./index/keeper.ts";
import { ReadingAhead } from "./index/reading-ahead.ts";
import { Failure } from "./jobs.ts";
import { mentionsIn } from "./mentions.ts";
import { Parsing } from "./parse.ts";
import {
  type CandidatesQuestion,
  type DeclarationsQuestion,
  type Failing,
  type FileAsked,
  type MentionsQuestion,
  type OutlineQuestion,
  S,
  type SearchQuestion,
  type StatusAnswer,
  type SuggestionsQuestion,
} from "./questions.ts";
import { declarationsOf, declaredIn, fitter, mentionsOf, nameAt, symbolsFor } from "./requests.ts";
import { searched } from "./search.ts";
import { grammarNames } from "./served.ts";
import { Texts } from "./texts.ts";

/** Initialization options. */
interface Options {
  /** Languages whose symbols `workspace/symbol` lists; default: all that a grammar reads. */
  readonly languages?: readonly string[];
  /** The configuration's `[index]`. */
  readonly index?: IndexConfig;
  /** A folder that holds one of these files is somebody's project. */
  readonly markers?: readonly string[];
}

const LIST_MS = 5000;

export function serveSyntax(): void {
  const connection = createConnection(ProposedFeatures.all, process.stdin, process.stdout);
  const parsing = new Parsing({ log: (text) => connection.console.warn(text) });
  const ahead = new ReadingAhead(parsing);
  const texts = new Texts(parsing, {
    told: (path, language) => kept?.told(path, language),
    tell: (path, told) => kept?.tell(path, told),
  });
  const folders = new Set<string>();
  let options: Options = {};
  /** The client watches the folders for us, and tells. */
  let isTold = false;
  const isOurs = (root: string): boolean => [...folders].some((uri) => isBelow(root, pathOf(uri) ?? uri));
  let kept: Keeper | null = null;
  // Nothing is looked through, watched or kept before the first question that needs it.
  const keeper = (): Keeper => {
    ahead.giveWay();
    if (kept !== null) return kept;
    const { index = builtIn.index, markers = [".git"] } = options;
    if (isTold)
      void connection.client.register(DidChangeWatchedFilesNotification.type, { watchers: [{ globPattern: "**/*" }] });
    kept = new Keeper({
      rules: index,
      cacheFolder: cacheFolder(thisMachine()),
      isTold: (root) => isTold && isOurs(root),
      isMarked: (root) => index.include.length > 0 || markers.some((name) => existsSync(join(root, name))),
      log: (level, text) => connection.console[level === "debug" ? "log" : level](text),
      onChange: (index) => ahead.add(index),
    });
    return kept;
  };
  const files = filesIn(keeper, () => [...folders]);
  const listed = (): ReadonlySet<string> => new Set(options.languages ?? grammarNames.keys());

  connection.onInitialize(({ workspaceFolders, rootUri, initializationOptions, capabilities }): InitializeResult => {
    const named = workspaceFolders ?? (rootUri === null ? [] : [{ uri: rootUri }]);
    for (const { uri } of named) folders.add(uri);
    options = initializationOptions ?? {};
    isTold = capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration === true;
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
    for (const { uri } of event.removed) {
      folders.delete(uri);
      const path = pathOf(uri);
      if (path !== null) kept?.leave(path);
    }
    for (const { uri } of event.added) folders.add(uri);
  });
  connection.onDidChangeWatchedFiles(({ changes }) => {
    for (const { uri } of changes) {
      const path = pathOf(uri);
      if (path !== null) kept?.touch(path);
    }
  });
  connection.onShutdown(() => {
    ahead.close();
    kept?.close();
    return parsing.close();
  });

  connection.onDidOpenTextDocument(({ textDocument: { uri, languageId, text } }) => texts.open(uri, languageId, text));
  connection.onDidChangeTextDocument(({ textDocument: { uri }, contentChanges }) => texts.change(uri, contentChanges));
  connection.onDidCloseTextDocument(({ textDocument: { uri } }) => texts.close(uri));

  standard(connection, texts, files, listed);
  own(connection, texts, ({ uri, language, text }, name) => {
    const path = pathOf(uri);
    const told = text !== undefined || path === null ? undefined : kept?.told(path, language);
    return declaresNone(told?.declares, language, name);
  });
  named(connection, texts, keeper, () => kept);
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
function own(connection: Connection, texts: Texts, isSilent: (file: FileAsked, name: string) => boolean): void {
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
      (file) => name !== undefined && match === "exact" && isSilent(file, name),
    );
  });
}

/** What the index of names tells. */
function named(connection: Connection, texts: Texts, keeper: () => Keeper, kept: () => Keeper | null): void {
  connection.onRequest(S.mentions, (question: MentionsQuestion) => mentionsIn(texts, keeper(), question));
  /** One for the folders of each client. */
  const catalogues = new Map<string, Catalogue>();
  connection.onRequest(S.search, (question: SearchQuestion) => {
    const scope = question.folders.map(({ key }) => key).join(" ");
    const catalogue = catalogues.get(scope) ?? new Catalogue(texts);
    catalogues.set(scope, catalogue);
    return searched(catalogue, keeper(), question);
  });
  connection.onRequest(S.candidates, (question: CandidatesQuestion) => candidatesFor(keeper(), question));
  connection.onRequest(S.suggestions, ({ folders, name, most }: SuggestionsQuestion) =>
    keeper()
      .of(folders.flatMap((folder) => pathOf(folder) ?? []))
      .suggestions(name, most),
  );
  connection.onRequest(S.status, (): StatusAnswer => {
    const all = kept()?.all ?? new Indexes([]);
    const { files, names, bytes } = all.stats;
    const { state, untold } = all;
    return { index: { files, names, bytes, state, untold, coverage: all.coverage() } };
  });
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
