/** What Universal Ctags says a repository declares: where, under which name, within what. The truth of the survey. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { faultOf } from "./faults.ts";
import type { Repository } from "./repositories.ts";

export interface Declaration {
  /** Relative to the repository, with `/`. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly name: string;
  readonly containers: readonly string[];
  readonly kind: string;
  /** Of a kind that a person would look up by name, and right (`faults.ts`); others only make an address ambiguous. */
  readonly wanted: boolean;
  /** What ctags has wrong about one of such a kind. */
  readonly fault: string | null;
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
    "--exclude=target",
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
    const fault = wanted.test(told.kind) ? faultOf(told, text, language) : null;
    return [{ ...told, wanted: wanted.test(told.kind) && fault === null, fault }];
  });
  return found.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
}

export type Told = Omit<Declaration, "wanted" | "fault">;

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

/** The address that a person would write. */
export function addressOf({ name, containers }: Declaration, language: Repository["language"]): string {
  const separator = language === "cpp" || language === "rust" ? "::" : ".";
  return [...containers, name].join(separator);
}

/**
 * How many declarations fit an address and its path as well as the one that was asked for, itself among them: without a
 * container those of its name in its file, with one those of the same containers. Of overloads of a TypeScript function
 * ctags tells some only, so that their lines are counted.
 */
export function countEqual(
  { path, name, containers }: Declaration,
  all: readonly Declaration[],
  text: string,
  language: Repository["language"],
): number {
  const same = all.filter(
    (other) =>
      (other.path === path || other.path.endsWith(`/${path}`)) &&
      other.name === name &&
      (containers.length === 0 || other.containers.join() === containers.join()),
  ).length;
  if (language !== "typescript" || containers.length > 0) return same;
  const overload = new RegExp(
    `^(?:export\\s+)?(?:default\\s+|declare\\s+|async\\s+)*function\\*?\\s+${name.replace(/\$/g, "\\$&")}(?![\\w$])`,
    "gm",
  );
  return Math.max(same, [...text.matchAll(overload)].length);
}
