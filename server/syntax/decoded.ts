/** The bytes of a file as text. */
import { utf16Of } from "../core/documents/text.ts";
import { isBinary } from "./decode.ts";
import { Failure } from "./jobs.ts";

/** UTF-16 by its mark; UTF-8 without one, else Latin-1. The mark is no part of the text. @throws Failure "unreadable": binary */
export function decoded(bytes: Buffer): string {
  const wide = utf16Of(bytes);
  if (wide !== null) return wide;
  if (isBinary(bytes)) throw new Failure("unreadable", "it is binary (it holds NUL bytes)");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return bytes.toString("latin1");
  }
}
