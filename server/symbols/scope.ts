/**
 * Where a question is looked up: the languages that it is about, the servers that know them, and the files that can matter.
 * Servers are started here where the question may wait for them.
 */
import type { BackendSpec } from "../config/resolve.ts";
import type { Backend } from "../core/backends.ts";
import type { View } from "../core/documents.ts";
import { type Covered, NOTHING_COVERED, type Survey } from "../core/ports.ts";
import { servingFolder } from "../core/route/plan.ts";
import { backendFor, general, inRank, present, standsIn } from "../core/route/serving.ts";
import { languages as facts, filesOf } from "../languages.ts";
import type { Source } from "../protocol/extensions.ts";
import { M, rowOf } from "../protocol/methods.ts";
import { grammarNames } from "../syntax/served.ts";
import { holdsWord, wordOf } from "./candidates.ts";
import { filesHolding } from "./holding.ts";
import { type Inquiry, type Reading, type Seen, seen, survey, whereIs } from "./inquiry.ts";
import { makersOf } from "./made.ts";
import { handsNamesOn } from "./modules.ts";
import { syntaxBackend } from "./syntactic.ts";

export interface Scope {
  /** Asked for, else those that occur in the folders. */
  readonly languages: readonly string[];
  /** In rank order, each with the language that it is asked for. */
  readonly servers: readonly { readonly backend: Backend; readonly language: string }[];
  /** Servers of these languages that are not installed, where no other one is. */
  readonly missing: readonly Source[];
  /** Servers that are not running, as nobody waits for them. */
  readonly idle: readonly Source[];
}

/** Looks at the folders, and starts the servers that may be waited for. */
export async function scopeOf(inquiry: Inquiry): Promise<Scope> {
  const { mux, client, question, folders } = inquiry;
  // Every question asks its index: it starts while the folders are looked at.
  if (folders.length > 0) syntaxBackend(inquiry);
  const surveys = await Promise.all(folders.map((folder) => survey(inquiry, folder)));
  const languages = question.languages ?? occurring(inquiry, surveys);
  const row = rowOf(M.workspaceSymbol);
  const backends = new Set<Backend>();
  const idle = new Map<string, Source>();
  folders.forEach((folder, i) => {
    const found = surveys[i];
    if (row === undefined || found === undefined) return;
    for (const spec of servingFolder(mux, client, row, found, folder.key, { among: languages })) {
      // What syntax tells is asked in another way: `by-syntax.ts`.
      if (standsIn(spec)) continue;
      const isStarted = question.wait === "none";
      const backend = isStarted ? mux.pool.find(client, spec, folder.key) : backendFor(mux, client, spec, folder.key);
      if (backend !== undefined && (!isStarted || backend.runs)) backends.add(backend);
      else if (isStarted) idle.set(spec.name, idleSource(spec, languages));
    }
  });
  for (const backend of client.backends)
    if (
      backend.runs &&
      !standsIn(backend.spec) &&
      row !== undefined &&
      backend.abilities.can(row) &&
      speaks(backend, languages)
    )
      backends.add(backend);
  const servers = inRank(client, backends).map((backend) => ({
    backend,
    language: speaks(backend, languages) ?? backend.name,
  }));
  return { languages, servers, missing: missing(inquiry, languages), idle: [...idle.values()] };
}

function idleSource({ name, adapter }: BackendSpec, languages: readonly string[]): Source {
  const language = adapter.languages.find((one) => languages.includes(one)) ?? name;
  return { backend: name, language, state: "starting", ms: 0, reason: "nobody waits for it: it is not started" };
}

/** The first of the languages that a backend serves. */
function speaks(backend: Backend, languages: readonly string[]): string | undefined {
  return backend.spec.adapter.languages.find((language) => languages.includes(language));
}

/** Text and data: nobody looks for a symbol there unless they say so, or have configured a server of their own for it. */
const prose: ReadonlySet<string> = new Set(
  (
    "markdown plaintext diff git-commit git-rebase json jsonc yaml toml ini xml xsl html css less sass scss latex bibtex " +
    "go.mod go.work dockerfile makefile cmake bat fish handlebars erb"
  ).split(" "),
);

/** Languages of programs whose files are in the folders. */
export function occurring({ client }: Reading, surveys: readonly Survey[]): readonly string[] {
  const has = (endings: readonly string[], names: readonly string[]): boolean =>
    surveys.some(
      (one) => endings.some((ending) => one.extensions.has(ending)) || names.some((name) => one.fileNames.has(name)),
    );
  const known = [...facts.keys()].filter((id) => {
    if (prose.has(id) && !client.setup.ranked(id).some((spec) => spec.configured && isFor(spec, prose))) return false;
    const { extensions, fileNames } = filesOf([id]);
    return has(extensions, fileNames);
  });
  const configured = client.setup.backends.flatMap((spec) =>
    has(spec.extensions, []) ? [spec.adapter.languages[0] ?? spec.name] : [],
  );
  return [...new Set([...known, ...configured])];
}

function isFor({ adapter }: BackendSpec, languages: ReadonlySet<string>): boolean {
  return languages.has(adapter.languages[0] ?? "");
}

function isServer(spec: BackendSpec): boolean {
  return spec.adapter.role === "general" && !standsIn(spec);
}

function missing({ client }: Inquiry, languages: readonly string[]): readonly Source[] {
  const absent = new Map<string, string>();
  for (const language of languages) {
    const specs = client.setup.ranked(language).filter(isServer);
    if (specs.some((spec) => spec.launch !== null)) continue;
    for (const { name, adapter } of specs)
      if (!absent.has(name)) absent.set(name, adapter.languages.find((one) => languages.includes(one)) ?? language);
  }
  return [...absent].map(([backend, language]) => ({
    backend,
    language,
    state: "missing",
    ms: 0,
    reason: "its command is not found",
  }));
}

/** Whether anything at all serves one of the languages. */
export function isServed({ client }: Inquiry, { languages, servers }: Scope): boolean {
  if (servers.length > 0) return true;
  return languages.some((language) => present(client, language).length > 0);
}

/** The files in which a name is written as a word of its own, as the client sees them. */
export interface Written {
  readonly files: readonly Seen[];
  /** Neither in these nor in others, of which it is known that they declare nothing of it. */
  readonly isNowhere: boolean;
  /** Whether there are no others among the files of the scope. */
  readonly whole: boolean;
  /** Whether some file holds what can make names that are not written (macros); only looked for where there are no files. */
  readonly makeable: boolean;
  readonly covered: Covered;
}

/** So many files with a name are looked at more closely; a name in more of them is not worth the reading. */
const MAX_FILES = 256;
/** A question that waits for nobody waits so long for an index that is still being made, ms. */
const NO_WAIT_MS = 1000;

export async function writtenIn(inquiry: Inquiry, scope: Scope): Promise<Written> {
  const { client, question, mux, until } = inquiry;
  const languages = question.languages ?? readIn(scope);
  const word = wordOf(question.leaf);
  if (word === null) return { files: [], isNowhere: true, whole: false, makeable: false, covered: NOTHING_COVERED };
  const left = until - mux.ports.now();
  const holding = await filesHolding(inquiry, {
    name: question.leaf,
    match: question.match,
    languages,
    served: languages.filter((language) => tellsMore(inquiry, language)),
    endings: client.setup.backends
      .filter((spec) => spec.adapter.languages.some((language) => languages.includes(language)))
      .flatMap((spec) => spec.extensions),
    path: question.path,
    limit: MAX_FILES,
    waitMs: question.wait === "none" ? Math.min(NO_WAIT_MS, left) : left,
  });
  // A buffer may hold what the disk does not, and the reverse.
  const open = [...client.views.values()].filter(
    ({ language, uri }) =>
      language !== undefined && languages.includes(language) && whereIs(inquiry, uri).path !== null,
  );
  const uris = new Map<string, string>();
  for (const uri of [...holding.uris, ...open.map((view) => view.uri)]) uris.set(mux.documents.keyOf(uri), uri);
  const read = await Promise.all([...uris.values()].map((uri) => seen(inquiry, uri)));
  const isIn = ({ uri, version, text }: Seen): boolean =>
    (version === null && !holding.unsure.has(uri)) || isWritten(inquiry, text.string, word, uri);
  const files = read.filter((one): one is Seen => one !== null && isIn(one));
  const isNowhere = files.length + holding.silent === 0;
  const makeable = isNowhere && (holding.makeable || open.some(makesNames));
  return { files, isNowhere, whole: holding.whole && !read.includes(null), makeable, covered: holding.covered };
}

/** Whether files that only use a name matter: a server sees more declared than syntax does, or a file hands names on. */
function tellsMore({ client, question, wait, mux }: Inquiry, language: string): boolean {
  const { segments, absolute } = question.address;
  if ((segments.length > 1 || absolute) && handsNamesOn(language)) return true;
  const server = general(client, language);
  if (server === undefined || standsIn(server)) return false;
  return wait === "ready" || mux.pool.find(client, server, null)?.runs === true;
}

/**
 * Where nobody has said in which languages to look, those of programs that a grammar reads as well: the index knows which of
 * them there are, also in folders in which no server is looked for (`vendor`, `dist`).
 */
function readIn({ languages }: Scope): readonly string[] {
  return [...new Set([...languages, ...[...grammarNames.keys()].filter((language) => !prose.has(language))])];
}

/** By the language's own rules, as far as bytes tell. */
function isWritten({ mux, client, question }: Inquiry, string: string, word: string, uri: string): boolean {
  const { match } = question;
  const language = mux.languageOf(uri, undefined, client) ?? "";
  const anyCase = match === "ignoreCase" || facts.get(language)?.caseless === true;
  const folded = (text: string): string => (anyCase ? text.normalize("NFKC").toLowerCase() : text.normalize("NFKC"));
  return holdsWord(folded(string), folded(word), match === "prefix");
}

/** Whether a document holds what makes names in its language. */
function makesNames({ language, text }: View): boolean {
  return language !== undefined && makersOf([language]).some(({ pattern }) => pattern.test(text.string));
}
