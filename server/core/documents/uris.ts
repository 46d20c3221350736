/**
 * URIs of documents: one key for all spellings of a document, and the way between a URI and a path. Pure but for the
 * real path, which the caller supplies. Each client keeps its own spelling; that is for `documents.ts`.
 *
 * Our own spelling leaves only A-Z a-z 0-9 / . _ ~ - as they are (RFC 3986 allows more, but clients and servers differ
 * in what they escape), writes escapes in upper case and a drive as `/c%3A`, as VS Code does.
 */
import { fileURLToPath, pathToFileURL } from "node:url";

/**
 * The key of a document: equal for two URIs exactly when they name the same document. For a file, the URI of its real
 * path; a query or fragment is kept behind it, since a link may carry one. Any other URI in our spelling, part by part
 * (an escaped slash stays escaped). What is no URI, or a file: URI that names no path, is its own key. Never throws.
 */
export function canonicalUri(uri: string, real: (path: string) => string): string {
  if (isPlain(uri, real)) return uri;
  const parts = PARTS.exec(uri);
  if (parts === null) return uri;
  const [, scheme = "", authority, path = "", query, fragment] = parts;
  const tail = part("?", query) + part("#", fragment);
  const file = pathOf(uri);
  if (file !== null) return withoutSlash(uriOfPath(real(file))) + tail;
  if (/^file$/i.test(scheme)) return uri;
  return `${scheme.toLowerCase()}:${part("//", authority)}${spelled(path)}${tail}`;
}

/**
 * Whether every peer spells this URI as it is and no link leads elsewhere, so that it can be passed on without a look.
 */
export function isPlain(uri: string, real: (path: string) => string): boolean {
  if (!PLAIN.test(uri)) return false;
  const path = uri.slice("file://".length);
  return real(path) === path;
}

/** The path of a file: URI, in the machine's own form; null for any other URI and for one that names no path. */
export function pathOf(uri: string): string | null {
  if (!/^file:/i.test(uri)) return null;
  try {
    const path = fileURLToPath(uri);
    return path.includes("\0") ? null : path;
  } catch {
    return null;
  }
}

/** The file: URI of an absolute path, in our spelling. */
export function uriOfPath(path: string): string {
  const { host, pathname } = pathToFileURL(path);
  return `file://${host}${spelled(pathname).replace(DRIVE, (drive) => drive.toLowerCase().replace("%3a", "%3A"))}`;
}

/** RFC 3986, appendix B, with a scheme of two letters at least: `c:\x` is a path. */
const PARTS = /^([A-Za-z][A-Za-z0-9+.-]+):(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;

/** No escape, no character that some peer escapes, no empty, `.` or `..` segment. */
const PLAIN = /^file:\/\/(?:\/(?!\.\.?(?:\/|$))[A-Za-z0-9._~-]+)+$/;

const DRIVE = /^\/[A-Za-z]%3A(?=\/|$)/;

function part(mark: string, text: string | undefined): string {
  return text === undefined ? "" : mark + spelled(text);
}

/** One part of a URI in our spelling. A `%` that starts no escape stands for itself; half a surrogate is U+FFFD. */
function spelled(text: string): string {
  return text.replace(/%[0-9A-Fa-f]{2}|[^A-Za-z0-9/._~-]/gu, (found) => {
    if (found.length < 3) return Array.from(Buffer.from(found), escaped).join("");
    const byte = Number.parseInt(found.slice(1), 16);
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9._~-]/.test(character) ? character : escaped(byte);
  });
}

function escaped(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}

function withoutSlash(uri: string): string {
  return uri.length > "file:///".length && uri.endsWith("/") ? uri.slice(0, -1) : uri;
}
