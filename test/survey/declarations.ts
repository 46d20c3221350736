/** What Universal Ctags says a repository declares: where, under which name, within what. The truth of the survey. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { Repository } from "./repositories.ts";

export interface Declaration {
  /** Relative to the repository, with `/`. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly name: string;
  readonly containers: readonly string[];
  readonly kind: string;
  /** Of a kind that a person would look up by name; others only make an address ambiguous. */
  readonly wanted: boolean;
}

/** ctags' language and its kinds that are declarations a person would look up by name: no fields, locals, packages. */
const kinds: Readonly<Record<Repository["language"], readonly [name: string, kinds: RegExp]>> = {
  typescript: ["TypeScript", /^(?:class|interface|enum|function|method|alias|constant|generator)$/],
  python: ["Python", /^(?:class|function|member)$/],
  go: ["Go", /^(?:func|struct|interface|type|alias|const|methodSpec)$/],
  rust: ["Rust", /^(?:struct|enum|interface|function|method|typedef|macro|constant)$/],
  cpp: ["C++", /^(?:class|struct|enum|union|function|typedef|macro|alias)$/],
  java: ["Java", /^(?:class|interface|enum|method|annotation)$/],
};

/** In the order of paths and lines. */
export function declarationsOf({ language }: Repository, folder: string): readonly Declaration[] {
  const [name, wanted] = kinds[language];
  const args = [
    "-R",
    "--output-format=json",
    "--fields=+nKsSE",
    `--languages=${name}`,
    "--exclude=testdata",
    "--exclude=*.in",
    "-f",
    "-",
    ".",
  ];
  if (language === "cpp") args.unshift("--langmap=C++:.cc.cpp.h.hpp.hh");
  const { status, stdout, stderr } = spawnSync("ctags", args, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`ctags: ${stderr}`);
  const lines = new Map<string, readonly string[]>();
  const found = stdout.split("\n").flatMap((line): readonly Declaration[] => {
    const told = line === "" ? null : declaration(JSON.parse(line));
    if (told === null) return [];
    const text = lines.get(told.path) ?? readFileSync(join(folder, told.path), "latin1").split("\n");
    lines.set(told.path, text);
    return [{ ...told, wanted: wanted.test(told.kind) && isSound(told, text[told.line - 1] ?? "", language) }];
  });
  return found.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
}

type Told = Omit<Declaration, "wanted">;

function declaration(tag: unknown): Told | null {
  if (typeof tag !== "object" || tag === null) return null;
  const { name, path, line, kind, scope = "", extras = "" } = { ...tag } as Readonly<Record<string, unknown>>;
  if (typeof name !== "string" || typeof path !== "string" || typeof line !== "number") return null;
  if (
    /^(?:package|module|implementation|namespace)$/.test(String(kind)) ||
    /anonymous/.test(String(extras)) ||
    /^(?:__anon|anonymousFunction)/.test(name)
  )
    return null;
  const containers = String(scope)
    .split(/::|\.|#/)
    .filter((segment) => segment !== "" && !/^(?:__anon|anonymousFunction)/.test(segment));
  return { path: path.replace(/^\.\//, ""), line, name, containers, kind: String(kind) };
}

/** The word that a kind of TypeScript's stands behind. */
const words: Readonly<Record<string, string>> = { constant: "const", alias: "type" };

/**
 * Whether the line of a tag bears it out. Left out are lines that do not hold the name; in TypeScript constants and aliases
 * without their word before the name, and constants that are indented; in TypeScript and Rust what is indented and in
 * nothing: there ctags forgets the function or the block around it.
 */
function isSound({ name, kind, containers }: Told, line: string, language: Repository["language"]): boolean {
  const isAscii = /^[\x20-\x7e]*$/.test(name);
  if (isAscii && !line.replace(/\s/g, "").includes(name.replace(/\s/g, ""))) return false;
  if (language !== "typescript" && language !== "rust") return true;
  const isLocal = containers.length === 0 || (language === "typescript" && kind === "constant");
  if (isLocal && /^\s/.test(line)) return false;
  const word = language === "typescript" ? words[kind] : undefined;
  const [before = ""] = line.split(new RegExp(`(?<![\\w$])${name.replace(/\$/g, "\\$")}(?![\\w$])`));
  return word === undefined || new RegExp(`^(?!\\s*import).*\\b${word}\\b[^=:]*$`).test(before);
}

/** The address that a person would write. */
export function addressOf({ name, containers }: Declaration, language: Repository["language"]): string {
  const separator = language === "cpp" || language === "rust" ? "::" : ".";
  return [...containers, name].join(separator);
}

/** Whether two declarations fit one address and one path hint equally. */
export function isSameQuestion(a: Declaration, b: Declaration): boolean {
  return a.path === b.path && a.name === b.name && a.containers.join() === b.containers.join();
}
