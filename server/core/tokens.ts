/**
 * Semantic tokens between legends: the one legend a client is given for its whole session, and the translation of each
 * backend's numbers into it (LSP 3.18, Semantic Tokens). Positions are left alone, so a remapped answer keeps its deltas.
 */

export interface Legend {
  readonly tokenTypes: readonly string[];
  readonly tokenModifiers: readonly string[];
}

/** How a backend's numbers become a client's. */
export interface Mapping {
  /** Every number means the same already: the data may pass untouched. */
  readonly identity: boolean;
  /** Client's type index by the backend's; -1: the client has none like it. */
  readonly types: readonly number[];
  /** Client's modifier bit (as a mask) by the backend's bit number; 0: it has none. */
  readonly modifiers: readonly number[];
}

export interface Remapped {
  readonly data: readonly number[];
  /** Tokens left out and modifiers taken off because the client's legend has no place for them. */
  readonly dropped: { readonly tokens: number; readonly modifiers: number };
}

/** The wire has 31 bits for modifiers: LSP's uinteger ends at 2^31 - 1. */
const MAX_MODIFIERS = 31;

/**
 * The legend announced to a client: LSP's own names, then those of the recorded legends in rank order. Modifiers beyond the
 * 31st have no bit and are lost.
 */
export function clientLegend(recorded: readonly Legend[]): Legend {
  const types = new Set([...standard.tokenTypes, ...recorded.flatMap(({ tokenTypes }) => tokenTypes)]);
  const modifiers = new Set([...standard.tokenModifiers, ...recorded.flatMap(({ tokenModifiers }) => tokenModifiers)]);
  return { tokenTypes: [...types], tokenModifiers: [...modifiers].slice(0, MAX_MODIFIERS) };
}

/** The translation by name from a backend's legend into a client's. */
export function mapping(backend: Legend, client: Legend): Mapping {
  const types = backend.tokenTypes.map((name) => typeIndex(name, client));
  const modifiers = backend.tokenModifiers.map((name) => {
    const bit = client.tokenModifiers.indexOf(name);
    return bit < 0 ? 0 : 1 << bit;
  });
  const identity = types.every((to, from) => to === from) && modifiers.every((mask, bit) => mask === 1 << bit);
  return { identity, types, modifiers };
}

/**
 * Semantic token data in the client's numbers. A token whose type has no place is left out, the next one's delta made up for
 * it: the editor then colours it by its own grammar.
 * @param data five integers a token: line delta, start delta, length, type, modifiers
 */
export function remap(data: readonly number[], { identity, types, modifiers }: Mapping): Remapped {
  if (identity) return { data, dropped: { tokens: 0, modifiers: 0 } };
  const out: number[] = [];
  const dropped = { tokens: 0, modifiers: 0 };
  // Deltas of tokens left out since the last one written.
  let lines = 0;
  let starts = 0;
  for (let i = 0; i + 4 < data.length; i += 5) {
    const line = data[i] ?? 0;
    const start = data[i + 1] ?? 0;
    lines += line;
    starts = line === 0 ? starts + start : start;
    const mapped = types[data[i + 3] ?? -1] ?? -1;
    if (mapped < 0) {
      dropped.tokens++;
      continue;
    }
    let mask = 0;
    for (let rest = data[i + 4] ?? 0, bit = 0; rest !== 0; rest >>>= 1, bit++) {
      if ((rest & 1) === 0) continue;
      const to = modifiers[bit] ?? 0;
      mask |= to;
      if (to === 0) dropped.modifiers++;
    }
    out.push(lines, starts, data[i + 2] ?? 0, mapped, mask);
    lines = 0;
    starts = 0;
  }
  return { data: out, dropped };
}

function typeIndex(name: string, client: Legend): number {
  const same = client.tokenTypes.indexOf(name);
  if (same >= 0) return same;
  const near = nearest.get(name);
  return near === undefined ? -1 : client.tokenTypes.indexOf(near);
}

/** LSP 3.18, SemanticTokenTypes and SemanticTokenModifiers, in the order of the specification. */
export const standard: Legend = {
  tokenTypes: [
    "namespace",
    "type",
    "class",
    "enum",
    "interface",
    "struct",
    "typeParameter",
    "parameter",
    "variable",
    "property",
    "enumMember",
    "event",
    "function",
    "method",
    "macro",
    "keyword",
    "modifier",
    "comment",
    "string",
    "number",
    "regexp",
    "operator",
    "decorator",
    "label",
  ],
  tokenModifiers: [
    "declaration",
    "definition",
    "readonly",
    "static",
    "deprecated",
    "abstract",
    "async",
    "modification",
    "documentation",
    "defaultLibrary",
  ],
};

/** Standard types nearest to names that servers made up, for servers of which no legend was recorded. */
const nearest: ReadonlyMap<string, string> = new Map(
  Object.entries({
    module: "namespace",
    package: "namespace",
    crate: "namespace",
    builtinType: "type",
    typeAlias: "type",
    primitive: "type",
    concept: "type",
    trait: "interface",
    annotationMember: "interface",
    record: "struct",
    union: "struct",
    builtinConstant: "variable",
    const: "variable",
    constant: "variable",
    static: "variable",
    selfParameter: "parameter",
    clsParameter: "parameter",
    constParameter: "typeParameter",
    lifetime: "typeParameter",
    field: "property",
    member: "property",
    recordComponent: "property",
    constructor: "method",
    magicFunction: "function",
    derive: "decorator",
    deriveHelper: "decorator",
    attribute: "decorator",
    annotation: "decorator",
    builtinAttribute: "decorator",
    procMacro: "macro",
    boolean: "keyword",
    selfKeyword: "keyword",
    selfTypeKeyword: "keyword",
    character: "string",
    escapeSequence: "string",
    formatSpecifier: "string",
    char: "string",
    bracket: "operator",
    punctuation: "operator",
    arithmetic: "operator",
    logical: "operator",
    comparison: "operator",
  }),
);
