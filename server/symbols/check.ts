/**
 * `$/switchboard/diagnostics`: what servers find wrong in files and folders, each file asked of every server that serves
 * it. For callers that have no file open and want to know when all has been said: publishing tells no end.
 */
import type { Call } from "../core/calls.ts";
import type { Client } from "../core/clients.ts";
import { filesOfSpecs } from "../core/documents/languages.ts";
import type { Extension, Mux } from "../core/mux.ts";
import { backendFor, eager, standsIn } from "../core/route/serving.ts";
import { errors } from "../protocol/errors.ts";
import type { CheckedFile, DiagnosticsResult } from "../protocol/extensions.ts";
import { answerWith, SPARE_MS } from "./answers.ts";
import { diagnosticsOf } from "./diagnosed.ts";
import { findFiles, type Reading, readingOf } from "./inquiry.ts";
import { pooled } from "./lists.ts";
import { given } from "./params.ts";

/** So many files are looked at; more are counted as left out. */
const MAX_FILES = 2000;
const TIMEOUT_MS = 110_000;

/** The request as the core takes it. */
export const diagnostics: Extension = (mux, call, params) => {
  const { client } = call;
  const wanted = wantedOf(params);
  if (client === null) return mux.answer(call, { error: errors.internal("diagnostics for nobody") });
  if (wanted === null)
    return mux.answer(call, { error: errors.invalidParams("`uris` must be a list of texts, `timeoutMs` a number.") });
  answerWith(
    mux,
    call,
    "diagnostics",
    checked(mux, call, client, wanted).then((result) => ({ result })),
  );
};

interface Wanted {
  readonly uris: readonly string[] | null;
  readonly timeoutMs: number;
}

function wantedOf(params: unknown): Wanted | null {
  const { uris = null, timeoutMs = TIMEOUT_MS } = given(params);
  if (typeof timeoutMs !== "number" || !(timeoutMs >= 0)) return null;
  if (uris === null) return { uris, timeoutMs };
  return Array.isArray(uris) && uris.every((uri) => typeof uri === "string") ? { uris, timeoutMs } : null;
}

async function checked(mux: Mux, call: Call, client: Client, wanted: Wanted): Promise<DiagnosticsResult> {
  const until = Math.min(mux.ports.now() + wanted.timeoutMs, call.deadline - SPARE_MS);
  const reading = readingOf(mux, call, client, { hint: null, wait: "ready", until });
  const served = client.setup.backends.filter((spec) => spec.launch !== null && !standsIn(spec));
  const languages = served.flatMap(({ adapter }) => [...adapter.languages]);
  const query = { ...filesOfSpecs(languages, served), limit: MAX_FILES + 1 };
  const places = wanted.uris ?? reading.folders.map(({ uri }) => uri);
  const found = await Promise.all(
    places.map((uri) => findFiles(reading, { uri, key: mux.documents.keyOf(uri), name: "" }, query)),
  );
  // What holds no such files is taken for a file itself.
  const uris = [...new Set(found.flatMap((one, i) => (one.uris.length > 0 ? one.uris : [places[i] ?? ""])))];
  const files: CheckedFile[] = [];
  await pooled(uris.slice(0, MAX_FILES), async (uri) => {
    files.push(await fileOf(reading, uri));
  });
  const isWhole = uris.length <= MAX_FILES && found.every(({ whole, uris: some }) => whole || some.length === 0);
  return {
    files: files.sort((a, b) => (a.uri < b.uri ? -1 : 1)),
    complete: isWhole && files.every(({ unanswered }) => unanswered.length === 0),
  };
}

/** A file of no served language has nobody to ask, and so nothing is left unanswered: `backends` is empty. */
async function fileOf(reading: Reading, uri: string): Promise<CheckedFile> {
  const { mux, client } = reading;
  const key = mux.documents.keyOf(uri);
  const language = mux.languageOf(uri, undefined, client);
  const asked = eager(client, language)
    .filter((spec) => !standsIn(spec))
    .flatMap((spec) => backendFor(mux, client, spec, key) ?? []);
  const answers = await Promise.all(asked.map((backend) => diagnosticsOf(reading, backend, uri, language ?? "")));
  const file: CheckedFile = { uri, diagnostics: [], backends: asked.map(({ name }) => name), unanswered: [] };
  answers.forEach((answer, i) => {
    if (!("error" in answer)) file.diagnostics.push(...answer);
    else file.unanswered.push({ backend: asked[i]?.name ?? "", message: answer.error.message });
  });
  return file;
}
