/**
 * `errors`: one constructor per failure that we originate, so that codes and words are decided once. A message says what happened,
 * to which backend or file, and what the user can do; `data.code` is for programs. Errors that a backend answers pass
 * unchanged and never come here. Codes: JSON-RPC 2.0, section 5.1; LSP 3.18, "Response Message".
 */

import type { Candidate, Source, SymbolByNameResult } from "./extensions.ts";
import type { Id } from "./messages.ts";

/** The `error` of a response. */
export interface ResponseError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Codes of JSON-RPC 2.0 and LSP 3.18 that we send or look at. */
export const Code = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  serverNotInitialized: -32002,
  requestFailed: -32803,
  serverCancelled: -32802,
  contentModified: -32801,
  requestCancelled: -32800,
} as const;

/** What it means that nothing was found, by `SymbolByNameResult.absence`. */
const absenceText = {
  text: "it is written nowhere in these files",
  semantic: "it is written in these files, but they declare nothing that fits",
  unknown: "whether it is written anywhere is not known",
} as const;

/** That nothing has a name, and on what level: a sentence without its full stop. */
export function absent(name: string, absence: SymbolByNameResult["absence"]): string {
  if (name.startsWith("sb:")) return `No symbol has the key "${name}": it is gone, or was never there`;
  return `Nothing is named "${name}": ${absenceText[absence]}`;
}

export const errors = {
  // ---- The wire and the life cycle ----

  /** A frame that is no JSON-RPC message; goes out under id null. */
  parseError(reason: string): ResponseError {
    return { code: Code.parseError, message: `The message cannot be read: ${reason}.` };
  },

  /** A well-formed frame whose params are not JSON. */
  badJson(method: string, reason: string): ResponseError {
    return { code: Code.parseError, message: `The params of "${method}" are not JSON: ${reason}.` };
  },

  frameTooLarge(bytes: number, cap: number): ResponseError {
    return invalid(`The message has ${bytes} bytes, the limit is ${cap}; raise [limits] maxFrameBytes if it is meant.`);
  },

  tooDeep(cap: number): ResponseError {
    return invalid(`The message is nested deeper than ${cap} levels; raise [limits] maxDepth if it is meant.`);
  },

  /** Requests of one client that are in flight. */
  tooMany(cap: number): ResponseError {
    return failed(`${cap} requests of this client are unanswered; ask again when some are answered, or cancel them.`, {
      code: "TooManyRequests",
    });
  },

  /** More is waiting for one peer than may wait. `bytes`: the cap. */
  queueFull(backend: string, bytes: number): ResponseError {
    return failed(`${backend} does not read its input and ${bytes} bytes wait for it; ask again later.`, {
      code: "QueueFull",
      backend,
    });
  },

  notInitialized(method: string): ResponseError {
    return { code: Code.serverNotInitialized, message: `"${method}" came before "initialize"; initialize first.` };
  },

  initializedTwice(): ResponseError {
    return invalid('"initialize" came a second time; it may come once a connection.');
  },

  afterShutdown(method: string): ResponseError {
    return invalid(`"${method}" came after "shutdown"; only "exit" may follow.`);
  },

  duplicateId(id: Id): ResponseError {
    return invalid(`The request id ${JSON.stringify(id)} is in use by a request that is not answered yet.`);
  },

  methodNotFound(method: string): ResponseError {
    return {
      code: Code.methodNotFound,
      message: `No backend and no part of Switchboard knows the method "${method}".`,
    };
  },

  /** `at`: UTF-16 offset of the fault in a text of the params, such as an address. */
  invalidParams(message: string, at?: number): ResponseError {
    return { code: Code.invalidParams, message, ...(at === undefined ? {} : { data: { at } }) };
  },

  unknownCommand(command: string): ResponseError {
    return errors.invalidParams(`No backend of this session has the command "${command}".`);
  },

  /** A fault of our own. */
  internal(what: string): ResponseError {
    return { code: Code.internalError, message: `Switchboard failed: ${what}. This is a bug; please report it.` };
  },

  // ---- A request that ends early ----

  cancelled(): ResponseError {
    return { code: Code.requestCancelled, message: "The request was cancelled." };
  },

  /** The text, or what was pointed at, is no longer what it was when the question was asked. */
  contentModified(what = "The document changed before the answer came"): ResponseError {
    return { code: Code.contentModified, message: `${what}; ask again.` };
  },

  /** Another client's text of the document had to be shown to the backend while this question waited for its answer. */
  textSwitched(backend: string): ResponseError {
    return errors.contentModified(`${backend} was given another client's text of the document before it answered`);
  },

  /** An edit for versions of documents that this client never had: another client's text was open in the backend. */
  editOfOtherText(backend: string): ResponseError {
    return errors.contentModified(`${backend} made the edit for another text of a document than this client's`);
  },

  /** An edit of a file as another client has it open; the asker would make it in what is on disk. */
  editOfUnsaved(backend: string, uri: string): ResponseError {
    return failed(
      `${backend} would edit ${uri} as another client has it open, with changes that are not saved; save it there, then ask again.`,
      {
        code: "Unsaved",
        backend,
        uri,
      },
    );
  },

  /** An item of an earlier process of a backend comes back (resolve, hierarchy). */
  staleItem(backend: string): ResponseError {
    const message = `The item was made by a process of ${backend} that has ended; ask for the list that it is from again.`;
    return { code: Code.contentModified, message };
  },

  /** `ms`: how long the backend was waited for. */
  timedOut(backend: string, method: string, ms: number): ResponseError {
    return failed(`${backend} did not answer "${method}" within ${seconds(ms)}; it may be busy, ask again later.`, {
      code: "TimedOut",
      backend,
    });
  },

  /** A request's time ran out over work of our own. */
  overLimit(method: string): ResponseError {
    return failed(`"${method}" was not done within its time; ask for less, or raise \`hardMs\` under [limits].`, {
      code: "TimedOut",
      backend: "switchboard",
    });
  },

  // ---- Backends ----

  /** Its time ran out before the backend could be asked. `state`: what the backend was at. */
  notAsked(backend: string, method: string, state: string): ResponseError {
    return failed(`${backend} could not be asked "${method}" in time (${state}); ask again later.`, {
      code: "TimedOut",
      backend,
    });
  },

  /** The process ended while the request was open. It is restarted by itself. */
  backendCrashed(backend: string, how: { code: number | null; signal: string | null }): ResponseError {
    const end = how.signal ?? (how.code === null ? "no exit code" : `exit code ${how.code}`);
    return failed(`${backend} ended (${end}) before it answered; it is being restarted, ask again.`, {
      code: "BackendCrashed",
      backend,
    });
  },

  /** Its answer had begun to pass on to the client when it ended, fell silent, or proved to answer something else. */
  brokenOff(backend: string, method: string): ResponseError {
    return failed(`${backend} broke off its answer to "${method}"; what came of it is not the whole. Ask again.`, {
      code: "BrokenOff",
      backend,
    });
  },

  /** The process could not be started, or did not answer "initialize". */
  backendNotStarted(backend: string, reason: string): ResponseError {
    return failed(
      `${backend} did not start: ${reason}. Mend its command under [backends.${backend}], or see the log ([log] file).`,
      {
        code: "BackendNotStarted",
        backend,
      },
    );
  },

  /** Started too often; it stays down. */
  backendGaveUp(backend: string, starts: number, windowMs: number): ResponseError {
    return failed(
      `${backend} ended ${starts} times within ${seconds(windowMs)} and is not started again; see its log, mend the cause and restart Switchboard.`,
      { code: "BackendGaveUp", backend },
    );
  },

  /** It does not run and will not be started. `trouble`: what is known about why. */
  backendStopped(backend: string, trouble: string | null): ResponseError {
    return failed(
      `${backend} is not running${trouble === null ? "" : `: ${trouble}`}; the log ([log] file) tells more.`,
      {
        code: "BackendStopped",
        backend,
      },
    );
  },

  /** The backend answered something that is not JSON. */
  garbage(backend: string, method: string): ResponseError {
    return failed(`${backend} answered "${method}" with something that is not JSON; see its log.`, {
      code: "BadAnswer",
      backend,
    });
  },

  /** A document that a backend died of twice is kept from it. */
  quarantined(backend: string, uri: string): ResponseError {
    return failed(`${uri} is kept from ${backend}, which ended twice on it; close it and open it again to try anew.`, {
      code: "Quarantined",
      backend,
      uri,
    });
  },

  /** A rename at its gate's cap. `progress`: what the backend says it is doing, such as "Indexing 40%". */
  renameNotReady(backend: string, progress: string | null): ResponseError {
    const doing = progress === null ? "has not said yet that it knows the project" : `is still at "${progress}"`;
    return failed(`${backend} ${doing}; a rename now could miss places. Ask again when it is ready.`, {
      code: "NotReady",
      backend,
      ...(progress === null ? {} : { progress }),
    });
  },

  /** Facts asked in languages that neither a backend nor a grammar serves. `install`: commands that would add a backend. */
  noBackend(languages: readonly string[], install: readonly string[]): ResponseError {
    const hint =
      install.length === 0 ? "Name one under [backends] in the configuration" : `Install one: ${install.join(" or ")}`;
    const what = languages.length === 0 ? "these files" : languages.join(", ");
    return failed(`No backend serves ${what}. ${hint}.`, { code: "NoBackend", languages, install });
  },

  // ---- By-name requests ----

  /** `unique` was asked and several symbols share the highest score. */
  ambiguous(name: string, candidates: readonly Candidate[]): ResponseError {
    const hints = candidates.slice(0, 3).map((candidate) => candidate.hint);
    const more = candidates.length > hints.length ? ", ..." : "";
    return failed(`"${name}" names ${candidates.length} symbols; say which: ${hints.join(", ")}${more}.`, {
      code: "Ambiguous",
      candidates,
    });
  },

  /** `unique` was asked, there is none, and that is certain. */
  notFound(name: string, suggestions: readonly string[], absence: SymbolByNameResult["absence"]): ResponseError {
    const hint = suggestions.length === 0 ? "" : ` Near it: ${suggestions.slice(0, 3).join(", ")}.`;
    return failed(`${absent(name, absence)}.${hint}`, { code: "NotFound", suggestions });
  },

  /** `unique` was asked, none was found, and not everything could be looked at. */
  notReady(name: string, sources: readonly Source[], retryAfterMs: number): ResponseError {
    const waiting = sources
      .filter((source) => source.state !== "ready")
      .map((source) => `${source.backend} ${source.state}`);
    const why = waiting.length === 0 ? "not everything could be searched" : waiting.join(", ");
    return failed(`"${name}" was not found yet (${why}); ask again in ${seconds(retryAfterMs)}.`, {
      code: "NotReady",
      sources,
      retryAfterMs,
    });
  },

  /** `then.method` is no position request, or the match's backend lacks it. */
  thenUnsupported(method: string, backend: string): ResponseError {
    return failed(`${backend} cannot run "${method}" at a symbol.`, { code: "ThenUnsupported", method, backend });
  },

  noGrammar(path: string): ResponseError {
    return failed(`No grammar reads ${path}; an outline needs one.`, { code: "NoGrammar" });
  },

  unreadable(path: string, reason: string): ResponseError {
    return failed(`${path} cannot be read: ${reason}.`, { code: "Unreadable" });
  },
} as const;

function invalid(message: string): ResponseError {
  return { code: Code.invalidRequest, message };
}

function failed(message: string, data: { readonly code: string; readonly [key: string]: unknown }): ResponseError {
  return { code: Code.requestFailed, message, data };
}

/** "1.5 s", "30 s". */
function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
