/**
 * The rule "joinHover": what several servers say of one place, under each other (LSP 3.18, Hover). Equal texts are said
 * once; the range is that of the first server that gives one.
 */
import { isObject } from "../settings.ts";

/** A text, and how it is to be read. */
interface Said {
  readonly kind: "markdown" | "plaintext";
  readonly value: string;
}

/** @param results hovers with something in them, in rank order */
export function joinHover(results: readonly unknown[]): unknown {
  const said = new Map<string, Said>();
  const told: unknown[] = [];
  for (const hover of results) {
    const parts = partsOf(hover).filter(({ value }) => !said.has(bare(value)));
    if (parts.length > 0) told.push(hover);
    for (const part of parts) said.set(bare(part.value), part);
  }
  if (told.length === 1) return told[0];
  const all = [...said.values()];
  const isPlain = all.every(({ kind }) => kind === "plaintext");
  const contents = isPlain
    ? { kind: "plaintext", value: all.map(({ value }) => value).join("\n\n") }
    : { kind: "markdown", value: all.map(asMarkdown).join("\n\n---\n\n") };
  const ranges = results.map((hover) => (isObject(hover) ? hover.range : undefined));
  const range = ranges.find(isObject);
  return range === undefined ? { contents } : { contents, range };
}

/** MarkupContent, a MarkedString or a list of them: of one server a single text. */
function partsOf(hover: unknown): readonly Said[] {
  const contents = isObject(hover) ? hover.contents : undefined;
  const list: readonly unknown[] = Array.isArray(contents) ? contents : [contents];
  const texts = list.map(saidIn).filter(({ value }) => value.trim() !== "");
  const [only] = texts;
  if (only === undefined || texts.length === 1) return texts;
  return [{ kind: "markdown", value: texts.map(asMarkdown).join("\n\n") }];
}

function saidIn(part: unknown): Said {
  if (typeof part === "string") return { kind: "markdown", value: part };
  if (!isObject(part) || typeof part.value !== "string") return { kind: "plaintext", value: "" };
  if (typeof part.language === "string") return { kind: "markdown", value: fenced(part.value, part.language) };
  return { kind: part.kind === "markdown" ? "markdown" : "plaintext", value: part.value };
}

/** Plain text keeps its line breaks and its marks only where nothing is read as one. */
function asMarkdown({ kind, value }: Said): string {
  return kind === "markdown" ? value : fenced(value, "text");
}

function fenced(text: string, language: string): string {
  const runs = text.match(/`{3,}/g) ?? [];
  const fence = "`".repeat(Math.max(3, ...runs.map(({ length }) => length + 1)));
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

/** What two servers would have to say alike. */
function bare(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
