/**
 * What is told of a language so that its files can be outlined: a tag query, and what a query cannot say. One such table a
 * language lies in `outlines/`; `outline.ts` reads them all the same way.
 *
 * The query's captures. A declaration is the node captured by its kind in LSP's words (`@class`, `@enumMember`), with
 * - `@name`: what it is called. Of several patterns that name the same place the first written one counts;
 * - `@in`: the containers that it writes itself (a Go receiver, the type of a Rust `impl`);
 * - `@params`, `@returns`: what is shown of it.
 * Regions: `@block` is around its declarations without being one, `@callback` a function without a name, `@anonymous` a type
 * without one, `@test` code that is compiled for tests only, `@package` what the file says that it is a part of, `@section`
 * a word that holds for what follows it in its container (`private:`), `@rest` a declaration around all that follows it.
 */
import type { Node } from "web-tree-sitter";
import type { SymbolKindName } from "../protocol/extensions.ts";
import type { Braced, Defined } from "./braces.ts";

export type Access = "public" | "protected" | "internal" | "private";

/** A declaration as its query found it. Offsets are UTF-16 units of the text. */
export interface Draft {
  readonly kind: SymbolKindName;
  readonly name: string;
  readonly nameStart: number;
  readonly nameEnd: number;
  /** Containers that it writes itself. */
  readonly scope: readonly string[];
  /** So many of the declarations around it do not contain it: `self.n` is a field of the class around its method. */
  readonly lift: number;
}

/** What access is judged by. */
export interface Standing {
  readonly name: string;
  readonly kind: SymbolKindName;
  /** The text from the declaration's start to its name: modifiers, decorators, types. */
  readonly head: string;
  /** Of the declaration that contains it; "block" in a block; null at top level. */
  readonly inside: SymbolKindName | "block" | null;
  /** The last `@section` before it in its container, "" where there is none. */
  readonly section: string;
}

export interface Outlining {
  readonly query: string;
  /** Functions directly in a type or a block are its methods, variables its fields. */
  readonly members?: boolean;
  /** A method that is called like its type is a constructor. */
  readonly namesakes?: boolean;
  /** A variable is declared by its first assignment: further ones in the same container are none. */
  readonly rebinds?: boolean;
  /** Whether a node around a declaration is a part of it: an `export`, decorators, a declaration with one name only. */
  readonly grows?: (outer: Node, inner: Node) => boolean;
  /** What makes a name of any word, with the name as its group: `` `is` ``, `r#type`. A name is told without it. */
  readonly escaped?: RegExp;
  /** Corrects what the query found; null: it is no declaration. `top` is the declaration's node, grown. */
  readonly refine?: (draft: Draft, name: Node, top: Node) => Draft | null;
  readonly access?: (standing: Standing) => Access;
  /** Containers in the text of `@in`; default: the words between separators, without type arguments. */
  readonly scopeOf?: (text: string) => readonly string[];
  /** Where the parser lost its way: what is around what, by other means, in the text as the grammar reads it. */
  readonly recover?: (text: string) => readonly Braced[];
  /** There too: which macros are defined, in the text as it is. */
  readonly macros?: (text: string) => readonly Defined[];
  /** The text as the grammar can read it; all of it stays where it is. */
  readonly plain?: (text: string) => string;
}

/** A name between backticks, which may hold anything. */
export const inBackticks = /^`([^`]+)`$/;

/** Blanks for text that the grammar cannot read and that says nothing about declarations; for `plain`. */
export function blanks(pattern: RegExp): (text: string) => string {
  return (text) => text.replace(pattern, (some) => some.replace(/[^\n]/g, " "));
}

/** Grows into these node types, and into the second ones where nothing else is declared there. */
export function into(always: readonly string[], alone: readonly string[] = []): (outer: Node, inner: Node) => boolean {
  return (outer) => always.includes(outer.type) || (alone.includes(outer.type) && outer.namedChildCount === 1);
}

/** `namespace A.B` is B in A: of a name with separators the last segment, in those before it. */
export function nestedName(draft: Draft, separator: string): Draft {
  const segments = draft.name.split(separator).flatMap((segment) => segment.trim() || []);
  const name = segments.pop() ?? draft.name;
  return { ...draft, name, scope: segments, nameStart: draft.nameEnd - name.length };
}

/** `Store[K, V]` -> Store, `a::B<T>` -> a, B, `*T` -> T; what is no name is left out. */
export function wordsOf(text: string): readonly string[] {
  let bare = text;
  for (let before = ""; before !== bare; ) {
    before = bare;
    bare = bare.replace(/<[^<>]*>|\[[^[\]]*\]|\([^()]*\)/g, "");
  }
  return bare
    .split(/[^\p{L}\p{N}\p{M}_$]+/u)
    .filter((word) => word !== "" && !/^(?:mut|dyn|const|ref|impl)$/.test(word));
}

/** By the first of a language's access words in the head; else `otherwise`. */
export function byWord(words: Readonly<Record<string, Access>>, otherwise: Access): (standing: Standing) => Access {
  const pattern = new RegExp(`\\b(?:${Object.keys(words).join("|")})\\b`);
  return ({ head }) => words[pattern.exec(head)?.[0] ?? ""] ?? otherwise;
}
