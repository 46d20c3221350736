/** An outline for a grammar that we have no table of: what its node types and fields are called says what is declared. */
import { type Language, Query } from "web-tree-sitter";
import type { SymbolKindName } from "../protocol/extensions.ts";

/** By the words of a node type, the first that fits. */
const kinds: readonly (readonly [RegExp, SymbolKindName])[] = [
  [/(?:^|_)(?:module|package)_(?:def\w*|declaration|definition|item|binding)$/, "module"],
  [/(?:^|_)(?:namespace)_(?:declaration|definition|item)$/, "namespace"],
  [/(?:^|_)(?:class|mixin|contract|object)_(?:declaration|definition|item|interface|implementation)$/, "class"],
  [/(?:^|_)(?:struct|record)_(?:declaration|definition|item|specifier)$/, "struct"],
  [/(?:^|_)(?:interface|trait|protocol|signature)_(?:declaration|definition|item)$/, "interface"],
  [/(?:^|_)enum_(?:declaration|definition|item|specifier)$/, "enum"],
  [/(?:^|_)(?:method)_(?:declaration|definition|item|signature)$/, "method"],
  [
    /(?:^|_)(?:function|func|procedure|subroutine|macro|modifier|let)_(?:declaration|definition|item|statement|def|signature)$/,
    "function",
  ],
  [/(?:^|_)(?:type|alias)_(?:alias|declaration|definition|item)$/, "class"],
  [/(?:^|_)(?:const|constant)_(?:declaration|definition|item|spec)$/, "constant"],
  [
    /(?:^|_)(?:variable|var|val|static|state_variable)_(?:declaration|definition|declarator|item|assignment|spec)$/,
    "variable",
  ],
];

/** A query of those patterns that the grammar knows. */
export function genericQuery(language: Language): string {
  const patterns = new Set<string>();
  for (let id = 0; id < language.nodeTypeCount; id++) {
    const type = language.nodeTypeForId(id);
    if (type === null || !language.nodeTypeIsNamed(id) || !language.nodeTypeIsVisible(id)) continue;
    const kind = kinds.find(([words]) => words.test(type))?.[1];
    if (kind !== undefined) patterns.add(`(${type} name: (_) @name) @${kind}`);
  }
  return [...patterns].filter((pattern) => isPossible(language, pattern)).join("\n");
}

function isPossible(language: Language, pattern: string): boolean {
  try {
    new Query(language, pattern).delete();
    return true;
  } catch {
    return false;
  }
}
