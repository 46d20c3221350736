/** What Universal Ctags says a repository declares: where, under which name, within what. The truth of the survey. */
import { spawnSync } from "node:child_process";

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
    "-f",
    "-",
    ".",
  ];
  if (language === "cpp") args.unshift("--langmap=C++:.cc.cpp.h.hpp.hh");
  const { status, stdout, stderr } = spawnSync("ctags", args, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`ctags: ${stderr}`);
  const found = stdout.split("\n").flatMap((line) => (line === "" ? [] : declaration(JSON.parse(line), wanted)));
  return found.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
}

function declaration(tag: unknown, wanted: RegExp): readonly Declaration[] {
  if (typeof tag !== "object" || tag === null) return [];
  const { name, path, line, kind, scope = "", extras = "" } = { ...tag } as Readonly<Record<string, unknown>>;
  if (typeof name !== "string" || typeof path !== "string" || typeof line !== "number") return [];
  if (
    /^(?:package|module|implementation|namespace)$/.test(String(kind)) ||
    /anonymous/.test(String(extras)) ||
    /^(?:__anon|anonymousFunction)/.test(name)
  )
    return [];
  const containers = String(scope)
    .split(/::|\.|#/)
    .filter((segment) => segment !== "" && !/^(?:__anon|anonymousFunction)/.test(segment));
  return [
    { path: path.replace(/^\.\//, ""), line, name, containers, kind: String(kind), wanted: wanted.test(String(kind)) },
  ];
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
