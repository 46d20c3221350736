/**
 * What stands around a file's own declarations: the package that it declares, which is part of a symbol's path, and the
 * module that follows from its place, which is accepted before the path but not printed (contract section 1). Facts about
 * languages; pure.
 */

/** Languages whose files say what package they are of, and how. */
const declared: Readonly<Record<string, RegExp>> = {
  go: /^package[ \t]+(\w+)/m,
  java: /^[ \t]*package[ \t]+([\w.]+)[ \t]*;/m,
  kotlin: /^[ \t]*package[ \t]+([\w.]+)/m,
  scala: /^[ \t]*package[ \t]+([\w.]+)/m,
};

/** The declared package, outermost first. */
export function packageOf(language: string, text: string): readonly string[] {
  return declared[language]?.exec(text)?.[1]?.split(".") ?? [];
}

/** Text of a statement that hands a name on, by language; the name is put in place of NAME. */
const handsOn: Readonly<Record<string, string>> = {
  python: String.raw`(?:^|\n)[ \t]*from[ \t]+([.\w]+)[ \t]+import\b[^#\n]*?(?:\([^)]*?)?\bNAME\b`,
  typescript: String.raw`\bexport\s+(?:type\s+)?\{[^{}]*\bNAME\b[^{}]*\}\s*from\s*["']([^"']+)["']`,
  rust: String.raw`\bpub\s+use\s+([\w:{}, \n]*?)\bNAME\b`,
};

function familyOf(language: string): string {
  return /^(?:type|java)script/.test(language) ? "typescript" : language;
}

/** Whether files of a language can hand on names that others declare. */
export function handsNamesOn(language: string): boolean {
  return familyOf(language) in handsOn;
}

/**
 * Whether a file hands on a name that is declared in the module `from`: it imports it from what is called like that module's
 * last part, or lies in a package around it.
 * @param module of the file
 */
export function reexports(
  language: string,
  text: string,
  name: string,
  module: readonly string[],
  from: readonly string[],
): boolean {
  const family = familyOf(language);
  const escaped = name.replace(/[^\p{L}\p{N}_]/gu, "\\$&");
  const pattern = handsOn[family]?.replaceAll("NAME", () => escaped);
  const found = pattern === undefined ? null : new RegExp(pattern).exec(text);
  if (found === null) return false;
  const last = from.at(-1);
  const isAround = module.length < from.length && module.every((segment, i) => segment === from[i]);
  return isAround || (last !== undefined && (found[1] ?? "").split(/[^\w]+/).includes(last));
}

/** Text of a statement that hands on all of a module, by language, and the file of a package that holds such. */
const handsOnAll: Readonly<Record<string, { readonly file: string; readonly pattern: RegExp }>> = {
  python: { file: "__init__.py", pattern: /^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]+\*/gm },
};

/** The file in which a package of a language hands names on; null where all of a module cannot be handed on. */
export function packageFile(language: string): string | null {
  return handsOnAll[language]?.file ?? null;
}

/** Whether a package's file hands on all of the module `from`: of what is called like that module's last part. */
export function reexportsAll(language: string, text: string, from: readonly string[]): boolean {
  const found = [...text.matchAll(handsOnAll[language]?.pattern ?? /(?!)/g)];
  return found.some(([, module = ""]) => module.split(".").at(-1) === from.at(-1));
}

/** What a crate of Rust calls itself. */
export const CRATE = "crate";

/** What others call it: its library, else its package, as `Cargo.toml` says; null where that says nothing. */
export function crateNamed(manifest: string): string | null {
  for (const table of ["lib", "package"]) {
    const [, inside = ""] =
      new RegExp(`^\\[${table}\\][^\\n]*\\n((?:(?!\\[)[^\\n]*\\n)*)`, "m").exec(`${manifest}\n`) ?? [];
    const name = /^[ \t]*name[ \t]*=[ \t]*["']([\w-]+)["']/m.exec(inside)?.[1];
    if (name !== undefined) return name.replaceAll("-", "_");
  }
  return null;
}

/** Of languages with modules by file: names that stand for their folder, and what a file of the root is called. */
const byPlace: Readonly<Record<string, { readonly folderFile: RegExp; readonly root?: string }>> = {
  python: { folderFile: /^__init__$/ },
  rust: { folderFile: /^(?:mod|lib|main)$/, root: CRATE },
  typescript: { folderFile: /^index$/ },
  typescriptreact: { folderFile: /^index$/ },
  javascript: { folderFile: /^index$/ },
  javascriptreact: { folderFile: /^index$/ },
  ruby: { folderFile: /^$/ },
};

/** The module that follows from a path (relative to its folder, `/`), outermost first; [] where places mean nothing. */
export function moduleOf(language: string, path: string): readonly string[] {
  const rule = byPlace[language];
  if (rule === undefined) return [];
  const folders = path.split("/");
  const file = (folders.pop() ?? "").replace(/\..*$/, "");
  const inside = rule.folderFile.test(file) ? folders : [...folders, file];
  if (rule.root === undefined) return inside;
  // Below `src` the root of the crate takes the place of the folders.
  const source = inside.lastIndexOf("src");
  return source < 0 ? inside : [rule.root, ...inside.slice(source + 1)];
}
