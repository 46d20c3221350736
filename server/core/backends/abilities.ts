/**
 * What is announced, both ways: to a client the union of what its backends were recorded to be able of, once and for all
 * (design: initialize is answered before any backend has started); to a backend the client's abilities and what we handle
 * for it. What one running backend really is able of is in `registrations.ts`.
 */
import type { Adapter } from "../../../adapters/adapter.ts";
import type { ClientCapabilities, ServerCapabilities } from "../../protocol/messages.ts";
import { type Row, rows } from "../../protocol/methods.ts";
import { isSet, type Options } from "../registrations.ts";
import { isObject, lookUp, mergeTrees, nest, type Settings } from "../settings.ts";
import type { Legend } from "../tokens.ts";

/** All that the announcement to one client depends on. */
export interface Parts {
  /** Capabilities of the enabled backends whose command resolves, in rank order, as recorded from the real servers. */
  readonly recorded: readonly (ServerCapabilities | Options)[];
  /** One of them was never recorded: it counts as able of every method of the table. */
  readonly unrecorded: boolean;
  readonly legend: Legend;
  readonly encoding: string;
  readonly client: ClientCapabilities;
  /** Our own command ids. */
  readonly commands: readonly string[];
  /** Our own requests that are built. */
  readonly experimental: Options;
}

/**
 * The server capabilities for the answer to a client's `initialize`.
 * Lists are united and flags or-ed; what only a list whose content we cannot know would make useful (trigger characters,
 * file filters) is not announced for a backend that was never recorded.
 */
export function announce(parts: Parts): Options {
  const capabilities: Record<string, unknown> = {
    positionEncoding: parts.encoding,
    textDocumentSync: announcedSync(parts),
    workspace: announcedWorkspace(parts),
    experimental: parts.experimental,
  };
  for (const provider of providers) {
    const known = parts.recorded.map((one) => lookUp(one, provider)).filter(isSet);
    const values = parts.unrecorded ? [...known, allOf(provider)] : known;
    const options = values.length > 0 ? union(values.map((value) => (isObject(value) ? value : {}))) : null;
    const special = specials[provider];
    const announced = special ? special(options, parts, values) : plain(provider, options);
    if (announced !== null) capabilities[provider] = announced;
  }
  return capabilities;
}

/** Methods that server capabilities announce: never to be registered dynamically as well (clients would ask twice). */
export function announcedMethods(capabilities: Options): ReadonlySet<string> {
  const announced = rows.filter(({ capability }) => capability !== null && isSet(lookUp(capabilities, capability)));
  return new Set(announced.map(({ registration, method }) => registration ?? method));
}

/**
 * The client capabilities for a backend's `initialize`: the client's own, over them what we handle whatever the client can,
 * over those the adapter's.
 */
export function towardsBackend(client: ClientCapabilities, adapter: Pick<Adapter, "capabilities">): ClientCapabilities {
  // Not built: notebooks.
  const { notebookDocument: _, ...kept } = client;
  const layers: readonly Settings[] = [dynamic(client), handled(client), adapter.capabilities ?? {}];
  // Still ClientCapabilities: only keys of LSP's, and what an adapter says that its server reads, were laid over them.
  return layers.reduce<Settings>(mergeTrees, { ...kept }) as ClientCapabilities;
}

/** What is used of the capabilities that a server announces. */
export function used(capabilities: Options, { withholds = [] }: Pick<Adapter, "withholds">): Options {
  if (withholds.length === 0) return capabilities;
  return Object.fromEntries(Object.entries(capabilities).filter(([name]) => !withholds.includes(name)));
}

// ---- To a client ------------------------------------------------------------------------------------------------------

/** Top-level capabilities that announce methods; sync, workspace and notebooks have shapes of their own. */
const providers: readonly string[] = [
  ...new Set(rows.flatMap(({ capability }) => capability?.split(".", 1) ?? [])),
].filter((name) => name.endsWith("Provider"));

type Special = (options: Options | null, parts: Parts, values: readonly unknown[]) => unknown;

/** Providers whose options are more than a union; null announces nothing. */
const specials: Readonly<Record<string, Special>> = {
  completionProvider: (options, { unrecorded }, values) => {
    if (!options) return null;
    // They would apply to the items of all backends: only those on which all agree.
    const { allCommitCharacters: _, ...rest } = options;
    const all = unrecorded ? [] : common(values.map((value) => lookUp(value, "allCommitCharacters")));
    return all.length > 0 ? { ...rest, allCommitCharacters: all } : rest;
  },
  codeActionProvider: (options, { client }, values) => {
    if (!options) return null;
    // LSP 3.18, CodeActionOptions: only to clients that know literals.
    if (!client.textDocument?.codeAction?.codeActionLiteralSupport) return true;
    // A client asks for none but these kinds, so they count only if everyone names its own.
    const { codeActionKinds, ...rest } = options;
    const named = values.every((value) => lookUp(value, "codeActionKinds") !== undefined);
    return plain("codeActionProvider", named ? { ...rest, codeActionKinds } : rest);
  },
  renameProvider: (options, { client }) =>
    // LSP 3.18, RenameOptions: only to clients that know prepareRename.
    options && (client.textDocument?.rename?.prepareSupport ? plain("renameProvider", options) : true),
  documentOnTypeFormattingProvider: (_, __, values) => {
    const characters = values
      .flatMap((value) => [lookUp(value, "firstTriggerCharacter"), lookUp(value, "moreTriggerCharacter")].flat())
      .filter(isText);
    const [first, ...more] = new Set(characters);
    return first === undefined ? null : { firstTriggerCharacter: first, moreTriggerCharacter: more };
  },
  executeCommandProvider: (options, { commands }) => {
    const all = [...new Set([...commands, ...[options?.commands ?? []].flat().filter(isText)])];
    return options || all.length > 0 ? { commands: all } : null;
  },
  semanticTokensProvider: (options, { legend, client }) => {
    const full = isSet(options?.full);
    const range = isSet(options?.range);
    // Differences are worked out here, whatever a server can.
    const delta = lookUp(client, "textDocument.semanticTokens.requests.full.delta") === true;
    return full || range ? { legend, full: full && delta ? { delta } : full, range } : null;
  },
  diagnosticProvider: (options, { client, unrecorded }) =>
    options && client.textDocument?.diagnostic
      ? {
          interFileDependencies: unrecorded || options.interFileDependencies === true,
          // Clients ask for them again and again: no server that may lack them is started for that.
          workspaceDiagnostics: options.workspaceDiagnostics === true && !unrecorded,
        }
      : null,
};

/** The shortest legal form of options. */
function plain(provider: string, options: Options | null): unknown {
  if (options === null) return null;
  return Object.keys(options).length > 0 || objects.has(provider) ? options : true;
}

/** Providers for which LSP knows no `true`. */
const objects: ReadonlySet<string> = new Set([
  "completionProvider",
  "signatureHelpProvider",
  "codeLensProvider",
  "documentLinkProvider",
]);

/** Every flag that the table knows of a provider. */
function allOf(provider: string): Options {
  let options: Settings = {};
  for (const { capability } of rows) {
    if (!capability?.startsWith(`${provider}.`)) continue;
    options = mergeTrees(options, nest(capability.slice(provider.length + 1), true));
  }
  return options;
}

/**
 * The options of several backends as one: flags or-ed, lists united, objects key by key, else the first in rank.
 * What binds an option to one backend's documents or names is left out.
 */
function union(values: readonly Options[]): Options {
  const keys = new Set(values.flatMap((value) => Object.keys(value)));
  const merged: Record<string, unknown> = {};
  for (const key of keys) {
    if (own.has(key)) continue;
    const found = values.map((value) => value[key]).filter(isSet);
    if (found.some(Array.isArray)) merged[key] = united(found.flat());
    else if (found.every(isObject) && found.length > 0) merged[key] = union(found);
    else if (found.length > 0) merged[key] = found.includes(true) ? true : found[0];
  }
  return merged;
}

const own: ReadonlySet<string> = new Set(["id", "documentSelector", "identifier", "label", "legend", "__proto__"]);

function united(items: readonly unknown[]): readonly unknown[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

function common(lists: readonly unknown[]): readonly string[] {
  const texts = lists.map((list) => (Array.isArray(list) ? list.filter(isText) : []));
  return texts[0]?.filter((text) => texts.every((list) => list.includes(text))) ?? [];
}

function announcedSync({ recorded }: Parts): Options {
  const has = (path: string) => recorded.some((one) => isSet(lookUp(one, `textDocumentSync.${path}`)));
  return {
    openClose: true,
    change: 2,
    // The text goes only to those that ask for it.
    save: { includeText: has("save.includeText") },
    // Both hold up every save, so only if somebody wants them.
    ...(has("willSave") && { willSave: true }),
    ...(has("willSaveWaitUntil") && { willSaveWaitUntil: true }),
  };
}

function announcedWorkspace({ recorded }: Parts): Options {
  const operations = recorded.map((one) => lookUp(one, "workspace.fileOperations")).filter(isObject);
  return {
    workspaceFolders: { supported: true, changeNotifications: true },
    ...(operations.length > 0 && { fileOperations: union(operations) }),
  };
}

// ---- To a backend -----------------------------------------------------------------------------------------------------

/** What we do for every client: registrations, watching, settings, progress, pulling, trees of symbols, UTF-16. */
function handled(client: ClientCapabilities): Settings {
  const full = lookUp(client, "textDocument.semanticTokens.requests.full");
  return {
    general: { positionEncodings: ["utf-16"] },
    // clangd's older name for it.
    ...("offsetEncoding" in client && { offsetEncoding: ["utf-16"] }),
    window: { workDoneProgress: true },
    workspace: {
      configuration: true,
      workspaceFolders: true,
      didChangeConfiguration: { dynamicRegistration: true },
      didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true },
      diagnostics: { refreshSupport: true },
    },
    textDocument: {
      documentSymbol: { hierarchicalDocumentSymbolSupport: true },
      publishDiagnostics: { versionSupport: true },
      // Servers are asked for all tokens only.
      ...(full !== undefined && { semanticTokens: { requests: { full: full !== false } } }),
    },
  };
}

/** `dynamicRegistration` for every method that we can route. */
function dynamic(client: ClientCapabilities): Settings {
  let tree: Settings = {};
  for (const row of rows) {
    const path = registrable(row, client);
    if (path !== null) tree = mergeTrees(tree, nest(`${path}.dynamicRegistration`, true));
  }
  return tree;
}

function registrable({ direction, capability, clientCapability }: Row, client: ClientCapabilities): string | null {
  if (direction !== "toServer" || capability === null || clientCapability === null) return null;
  if (clientCapability.startsWith("notebookDocument")) return null;
  // These have required fields (types, formats) that only the client can fill; strict servers fail without them.
  if (clientCapability.endsWith("semanticTokens") && !client.textDocument?.semanticTokens) return null;
  return clientCapability;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
