/**
 * Settings of a backend: layers of plain trees merged into one, and the answers to `workspace/configuration` read from it.
 * Where the layers come from (adapter, configuration file, client) and when a client is asked is the caller's business.
 */
import { unfolded } from "../config/config.ts";

/** A tree of settings, keyed by top-level section; all below is plain JSON. */
export type Settings = { readonly [section: string]: unknown };

/** An item of `workspace/configuration` (LSP 3.18, Configuration Request). */
export interface ConfigurationItem {
  readonly scopeUri?: string;
  readonly section?: string;
}

/**
 * The settings in force: later layers win (built-in < configuration file < client). Objects are merged key by key; arrays and
 * scalars replace. A top-level key with dots (`"python.analysis.mode"`) means the nested setting, as editors write it.
 */
export function layered(layers: readonly (Settings | null | undefined)[]): Settings {
  return layers.reduce<Settings>((merged, layer) => (layer ? mergeTrees(merged, unfolded(layer)) : merged), {});
}

/**
 * The answer to `workspace/configuration`: exactly one value per item, in order; `null` where nothing is set.
 * `a.b` is walked into the tree; an item without a section gets the whole tree.
 * @param settings settings in force for an item's `scopeUri`
 */
export function answerConfiguration(
  items: readonly ConfigurationItem[],
  settings: (scopeUri: string | undefined) => Settings,
): readonly unknown[] {
  return items.map(({ scopeUri, section }) => {
    const tree = settings(scopeUri);
    return section ? (lookUp(tree, section) ?? null) : tree;
  });
}

/**
 * What to ask the client for, so that `items` can be answered: top-level sections only (some clients know no dotted ones),
 * each once per scope. Items without a section are left out: some clients drop them and answer a shorter array.
 */
export function sections(items: readonly ConfigurationItem[]): readonly ConfigurationItem[] {
  const asked = new Map<string, ConfigurationItem>();
  for (const { scopeUri, section } of items) {
    const top = section?.split(".", 1)[0];
    if (!top) continue;
    const item = scopeUri === undefined ? { section: top } : { scopeUri, section: top };
    asked.set(JSON.stringify(item), item);
  }
  return [...asked.values()];
}

/**
 * The client's answer to `asked` as one tree of settings per scope ("" = no scope). Real clients answer short arrays, nulls,
 * one bare value, or one tree for everything: what cannot be understood counts as not set.
 */
export function fromClient(asked: readonly ConfigurationItem[], answer: unknown): ReadonlyMap<string, Settings> {
  const scopes = new Map<string, Settings>();
  const values: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
  const whole = values.length < asked.length && values.length === 1 ? values[0] : undefined;
  const isTree = isObject(whole) && asked.some(({ section }) => section !== undefined && Object.hasOwn(whole, section));
  asked.forEach(({ scopeUri = "", section }, i) => {
    if (section === undefined) return;
    const value = isTree ? lookUp(whole, section) : values[i];
    if (value === null || value === undefined) return;
    scopes.set(scopeUri, mergeTrees(scopes.get(scopeUri) ?? {}, { [section]: value }));
  });
  return scopes;
}

/**
 * The value at a dotted path, or undefined. Own properties only; a key that itself holds the rest of the path with its dots
 * is found as well.
 */
export function lookUp(tree: unknown, path: string): unknown {
  if (!isObject(tree)) return undefined;
  if (Object.hasOwn(tree, path)) return tree[path];
  for (let dot = path.indexOf("."); dot >= 0; dot = path.indexOf(".", dot + 1)) {
    const head = path.slice(0, dot);
    const found = Object.hasOwn(tree, head) ? lookUp(tree[head], path.slice(dot + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Two trees merged, `over` winning; objects key by key, anything else replaced. Neither argument is changed. */
export function mergeTrees(under: Settings, over: Settings): Settings {
  const merged: Record<string, unknown> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    // Assigned, this key would change the prototype instead.
    if (key === "__proto__") continue;
    const below = Object.hasOwn(merged, key) ? merged[key] : undefined;
    merged[key] = isObject(below) && isObject(value) ? mergeTrees(below, value) : value;
  }
  return merged;
}

/** Whether a value is an object with keys: no array, no null. */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The tree that holds one value at a dotted path. */
export function nest(path: string, value: unknown): Settings {
  const [last = "", ...above] = path.split(".").toReversed();
  return above.reduce<Settings>((inner, key) => ({ [key]: inner }), { [last]: value });
}
