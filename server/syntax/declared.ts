/** A file's outline in the forms that requests want: LSP's nested symbols, and one flat list with whole paths. Pure. */
import type { Range } from "../core/positions.ts";
import { separatorOf } from "../languages.ts";
import { kindNumber } from "../protocol/extensions.ts";
import type { FileOutline, Outlined } from "./outline.ts";

/** A declaration with all that is around it. */
export interface Declared extends Omit<Outlined, "block" | "scope" | "children"> {
  /** Outermost first, as the source declares them. */
  readonly containers: readonly string[];
}

/** In the order of the text, outer before inner. Made once for an outline, which many questions may be about. */
export function flat(outline: FileOutline): readonly Declared[] {
  const known = flats.get(outline) ?? flatOf(outline);
  flats.set(outline, known);
  return known;
}

const flats = new WeakMap<FileOutline, readonly Declared[]>();

function flatOf({ package: around, symbols }: FileOutline): readonly Declared[] {
  const list: Declared[] = [];
  const visit = (some: readonly Outlined[], outer: readonly string[]): void => {
    for (const { scope, block, children, ...rest } of some) {
      const containers = scope.length === 0 ? outer : [...outer, ...scope];
      if (!block) list.push({ ...rest, containers });
      visit(children, block ? containers : [...containers, rest.name]);
    }
  };
  visit(symbols, around);
  return list;
}

export interface NestedSymbol {
  name: string;
  detail?: string;
  kind: number;
  range: Range;
  selectionRange: Range;
  children?: NestedSymbol[];
}

/**
 * LSP's DocumentSymbol. A container that is written in the declaration stands before the name (`Box.Set`, `geo::Shape::area`);
 * what a block holds stands beside it, with what the block is about before its name.
 * @param keep what is left out takes what it holds along
 */
export function nested(
  outline: FileOutline,
  language: string,
  keep: (one: Outlined, depth: number) => boolean,
): NestedSymbol[] {
  const separator = separatorOf(language);
  const visit = (some: readonly Outlined[], before: readonly string[], depth: number): NestedSymbol[] =>
    some.flatMap((one): NestedSymbol[] => {
      const scope = [...before, ...one.scope];
      if (one.block) return visit(one.children, scope, depth);
      if (!keep(one, depth)) return [];
      const { name, kind, detail, range, selectionRange } = one;
      const children = visit(one.children, [], depth + 1);
      return [
        {
          name: [...scope, name].join(separator),
          ...(detail !== "" && { detail }),
          kind: kindNumber(kind) ?? 13,
          range,
          selectionRange,
          ...(children.length > 0 && { children }),
        },
      ];
    });
  return visit(outline.symbols, [], 1);
}
