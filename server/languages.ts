/**
 * Facts about languages: which files are written in them and how they spell names. No policy, no I/O, no imports.
 *
 * Ids are the language identifiers of LSP 3.18 (TextDocumentItem) where it lists the language, else those that editors
 * send. Which server serves a language is said by adapters and configuration, not here.
 */

export interface Language {
  /** File name endings with the dot. Looked up as spelled, then in lower case; of several that fit, the longest wins. */
  readonly extensions: readonly string[];
  /** Whole file names. */
  readonly fileNames?: readonly string[];
  /** Programs of a `#!` line, without directory and version (`python`, not `/usr/bin/python3.11`). */
  readonly interpreters?: readonly string[];
  /** What stands between the segments of a qualified name. */
  readonly separator: "." | "::" | "/";
  /** Identifiers that differ only in case are the same name. */
  readonly caseless?: true;
  /** What may stand before a name and is no part of it: C#'s `@class`. */
  readonly mark?: string;
  /** Other languages that a server or a setting named for this one serves too, unless they are named themselves. */
  readonly covers?: readonly string[];
}

/** Every language we know, by id. */
export const languages: ReadonlyMap<string, Language> = new Map<string, Language>(
  Object.entries({
    ada: { extensions: [".adb", ".ads"], separator: ".", caseless: true },
    awk: { extensions: [".awk"], interpreters: ["awk", "gawk", "mawk", "nawk"], separator: "." },
    bat: { extensions: [".bat", ".cmd"], separator: ".", caseless: true },
    bibtex: { extensions: [".bib"], separator: "." },
    c: { extensions: [".c", ".h", ".i"], separator: "::" },
    clojure: {
      extensions: [".clj", ".cljs", ".cljc", ".edn"],
      interpreters: ["clojure", "clj", "bb"],
      separator: "/",
    },
    cmake: { extensions: [".cmake"], fileNames: ["CMakeLists.txt"], separator: ".", caseless: true },
    coffeescript: { extensions: [".coffee", ".cson"], interpreters: ["coffee"], separator: "." },
    cpp: {
      extensions: [".cpp", ".cc", ".cxx", ".c++", ".C", ".CPP", ".h", ".H", ".hpp", ".hh", ".hxx", ".h++"].concat(
        [".ipp", ".inl", ".ixx", ".cppm", ".tpp", ".txx"], // inline parts and modules
      ),
      separator: "::",
      covers: ["c"],
    },
    crystal: { extensions: [".cr"], interpreters: ["crystal"], separator: "::" },
    csharp: { extensions: [".cs", ".csx"], interpreters: ["dotnet-script"], separator: ".", mark: "@" },
    css: { extensions: [".css"], separator: "." },
    "cuda-cpp": { extensions: [".cu", ".cuh"], separator: "::" },
    d: { extensions: [".d", ".di"], interpreters: ["rdmd"], separator: "." },
    dart: { extensions: [".dart"], interpreters: ["dart"], separator: "." },
    diff: { extensions: [".diff", ".patch"], separator: "." },
    dockerfile: {
      extensions: [".dockerfile", ".containerfile"],
      fileNames: ["Dockerfile", "Containerfile"],
      separator: ".",
    },
    elixir: { extensions: [".ex", ".exs"], fileNames: ["mix.lock"], interpreters: ["elixir"], separator: "." },
    elm: { extensions: [".elm"], separator: "." },
    erb: { extensions: [".erb"], separator: "::" },
    erlang: { extensions: [".erl", ".hrl", ".escript"], interpreters: ["escript"], separator: "." },
    fish: { extensions: [".fish"], interpreters: ["fish"], separator: "." },
    fortran: {
      extensions: [".f", ".for", ".f77", ".f90", ".f95", ".f03", ".f08"],
      separator: "::",
      caseless: true,
    },
    fsharp: { extensions: [".fs", ".fsi", ".fsx"], separator: "." },
    "git-commit": { extensions: [], fileNames: ["COMMIT_EDITMSG", "MERGE_MSG"], separator: "." },
    "git-rebase": { extensions: [], fileNames: ["git-rebase-todo"], separator: "." },
    go: { extensions: [".go"], separator: "." },
    "go.mod": { extensions: [], fileNames: ["go.mod"], separator: "." },
    "go.work": { extensions: [], fileNames: ["go.work"], separator: "." },
    graphql: { extensions: [".graphql", ".gql"], separator: "." },
    groovy: { extensions: [".groovy", ".gradle", ".gvy"], fileNames: ["Jenkinsfile"], separator: "." },
    handlebars: { extensions: [".hbs", ".handlebars"], separator: "." },
    haskell: { extensions: [".hs", ".lhs"], interpreters: ["runghc", "runhaskell", "stack"], separator: "." },
    html: { extensions: [".html", ".htm", ".xhtml"], separator: "." },
    ini: { extensions: [".ini", ".cfg", ".properties"], fileNames: [".editorconfig", ".gitconfig"], separator: "." },
    java: { extensions: [".java"], separator: "." },
    javascript: {
      extensions: [".js", ".mjs", ".cjs", ".es6"],
      interpreters: ["node", "nodejs"],
      separator: ".",
    },
    javascriptreact: { extensions: [".jsx"], separator: "." },
    json: {
      extensions: [".json", ".geojson", ".webmanifest"],
      fileNames: [".prettierrc", "composer.lock"],
      separator: ".",
    },
    jsonc: { extensions: [".jsonc"], fileNames: ["tsconfig.json", "jsconfig.json", ".eslintrc"], separator: "." },
    julia: { extensions: [".jl"], interpreters: ["julia"], separator: "." },
    kotlin: { extensions: [".kt", ".kts"], interpreters: ["kotlin"], separator: "." },
    latex: { extensions: [".tex", ".sty", ".ltx"], separator: "." },
    less: { extensions: [".less"], separator: "." },
    lua: { extensions: [".lua"], interpreters: ["lua", "luajit"], separator: "." },
    makefile: {
      extensions: [".mk", ".mak"],
      fileNames: ["Makefile", "makefile", "GNUmakefile"],
      interpreters: ["make", "gmake"],
      separator: ".",
    },
    markdown: { extensions: [".md", ".markdown", ".mkd"], separator: "." },
    matlab: { extensions: [".m"], separator: "." },
    nim: { extensions: [".nim", ".nims"], interpreters: ["nim"], separator: "." },
    nix: { extensions: [".nix"], separator: "." },
    "objective-c": { extensions: [".m", ".h"], separator: "." },
    "objective-cpp": { extensions: [".mm", ".h"], separator: "::" },
    ocaml: { extensions: [".ml", ".mli"], interpreters: ["ocaml"], separator: "." },
    pascal: { extensions: [".pas", ".pp", ".dpr", ".lpr"], separator: ".", caseless: true },
    perl: { extensions: [".pl", ".pm", ".t"], interpreters: ["perl"], separator: "::" },
    php: { extensions: [".php", ".phtml"], interpreters: ["php"], separator: "::", caseless: true },
    plaintext: { extensions: [".txt", ".text"], separator: "." },
    powershell: {
      extensions: [".ps1", ".psm1", ".psd1"],
      interpreters: ["pwsh", "powershell"],
      separator: "::",
      caseless: true,
    },
    prolog: { extensions: [".pl", ".pro"], interpreters: ["swipl"], separator: "." },
    proto: { extensions: [".proto"], separator: "." },
    pug: { extensions: [".pug", ".jade"], separator: "." },
    python: {
      extensions: [".py", ".pyi", ".pyw"],
      fileNames: ["SConstruct", "SConscript"],
      interpreters: ["python", "pypy", "uv"],
      separator: ".",
    },
    r: { extensions: [".r"], fileNames: [".Rprofile"], interpreters: ["Rscript"], separator: "::" },
    raku: { extensions: [".raku", ".rakumod", ".p6"], interpreters: ["raku", "perl6"], separator: "::" },
    razor: { extensions: [".cshtml", ".razor"], separator: "." },
    ruby: {
      extensions: [".rb", ".rake", ".gemspec", ".ru"],
      fileNames: ["Gemfile", "Rakefile", "Guardfile", "Vagrantfile", "Podfile", "Fastfile", ".irbrc"],
      interpreters: ["ruby", "jruby", "rake"],
      separator: "::",
    },
    rust: { extensions: [".rs"], interpreters: ["rust-script"], separator: "::" },
    sass: { extensions: [".sass"], separator: "." },
    scala: { extensions: [".scala", ".sc", ".sbt"], interpreters: ["scala", "scala-cli"], separator: "." },
    scheme: { extensions: [".scm", ".ss"], interpreters: ["guile"], separator: "." },
    scss: { extensions: [".scss"], separator: "." },
    shaderlab: { extensions: [".shader"], separator: "." },
    shellscript: {
      extensions: [".sh", ".bash", ".zsh", ".ksh", ".bats"],
      fileNames: [
        ".bashrc",
        ".bash_profile",
        ".bash_aliases",
        ".profile",
        ".zshrc",
        ".zshenv",
        ".zprofile",
        "PKGBUILD",
      ],
      interpreters: ["sh", "bash", "zsh", "ksh", "dash", "ash", "mksh", "bats"],
      separator: ".",
    },
    solidity: { extensions: [".sol"], separator: "." },
    sql: { extensions: [".sql"], separator: ".", caseless: true },
    svelte: { extensions: [".svelte"], separator: "." },
    swift: { extensions: [".swift"], interpreters: ["swift"], separator: "." },
    tcl: { extensions: [".tcl"], interpreters: ["tclsh", "wish", "expect"], separator: "::" },
    terraform: { extensions: [".tf", ".tfvars"], separator: "." },
    toml: { extensions: [".toml"], fileNames: ["Cargo.lock", "poetry.lock", "uv.lock"], separator: "." },
    typescript: {
      extensions: [".ts", ".mts", ".cts"],
      interpreters: ["deno", "bun", "tsx", "ts-node"],
      separator: ".",
      covers: ["typescriptreact", "javascript", "javascriptreact"],
    },
    typescriptreact: { extensions: [".tsx"], separator: "." },
    vb: { extensions: [".vb", ".vbs", ".bas"], separator: ".", caseless: true },
    verilog: { extensions: [".v", ".vh", ".sv", ".svh"], separator: "." },
    vim: { extensions: [".vim"], fileNames: [".vimrc", "_vimrc"], separator: "." },
    vue: { extensions: [".vue"], separator: "." },
    xml: { extensions: [".xml", ".xsd", ".svg", ".csproj", ".plist", ".wsdl"], fileNames: ["pom.xml"], separator: "." },
    xsl: { extensions: [".xsl", ".xslt"], separator: "." },
    yaml: { extensions: [".yaml", ".yml"], fileNames: [".clang-format", ".clangd", ".clang-tidy"], separator: "." },
    zig: { extensions: [".zig", ".zon"], separator: "." },
  }),
);

/** Other spellings of ids: short names that people type, and what editors other than VS Code send (Vim's filetypes). */
const aliases: ReadonlyMap<string, string> = new Map([
  ["tsx", "typescriptreact"],
  ["typescript.tsx", "typescriptreact"],
  ["ts", "typescript"],
  ["jsx", "javascriptreact"],
  ["javascript.jsx", "javascriptreact"],
  ["js", "javascript"],
  ["bash", "shellscript"],
  ["sh", "shellscript"],
  ["zsh", "shellscript"],
  ["ksh", "shellscript"],
  ["shell", "shellscript"],
  ["c++", "cpp"],
  ["cs", "csharp"],
  ["c#", "csharp"],
  ["cuda", "cuda-cpp"],
  ["docker", "dockerfile"],
  ["golang", "go"],
  ["gomod", "go.mod"],
  ["gowork", "go.work"],
  ["gitcommit", "git-commit"],
  ["gitrebase", "git-rebase"],
  ["jade", "pug"],
  ["kt", "kotlin"],
  ["make", "makefile"],
  ["md", "markdown"],
  ["objc", "objective-c"],
  ["objcpp", "objective-cpp"],
  ["objectivec", "objective-c"],
  ["perl6", "raku"],
  ["ps1", "powershell"],
  ["py", "python"],
  ["rb", "ruby"],
  ["rs", "rust"],
  ["tex", "latex"],
  ["text", "plaintext"],
  ["yml", "yaml"],
]);

/**
 * Extensions that several rows list (a test compares): the candidates, the likeliest first. A hint that is one of them
 * decides, else the first does.
 */
const ambiguous: ReadonlyMap<string, readonly string[]> = new Map([
  [".h", ["cpp", "c", "objective-c", "objective-cpp"]],
  [".m", ["objective-c", "matlab"]],
  [".pl", ["perl", "prolog"]],
]);

/**
 * The id behind any of its spellings, in any case (`Python`); an id unknown to us is returned as it is (a server of the
 * user's own may serve it).
 */
export function canonicalLanguage(id: string): string {
  const small = id.toLowerCase();
  const known = aliases.get(small) ?? small;
  return languages.has(known) ? known : id;
}

/** What stands between the segments of a qualified name; of a language that nobody knows a dot. */
export function separatorOf(id: string): Language["separator"] {
  return languages.get(id)?.separator ?? ".";
}

/** C and what has its preprocessor, and its headers: what is declared in one place can be defined in another. */
export const cFamily: ReadonlySet<string> = new Set(["c", "cpp", "cuda-cpp", "objective-c", "objective-cpp"]);

/** The languages that naming this one stands for, itself first: `typescript` covers javascript, `cpp` covers c. */
export function coveredBy(id: string): readonly string[] {
  const own = canonicalLanguage(id);
  return [own, ...(languages.get(own)?.covers ?? [])];
}

/** File name endings (lower case, with the dot) and whole file names of some languages. */
export function filesOf(ids: Iterable<string>): { extensions: readonly string[]; fileNames: readonly string[] } {
  const rows = [...ids].flatMap((id) => languages.get(canonicalLanguage(id)) ?? []);
  return {
    extensions: [...new Set(rows.flatMap((row) => row.extensions.map((e) => e.toLowerCase())))],
    fileNames: [...new Set(rows.flatMap((row) => row.fileNames ?? []))],
  };
}

/**
 * The language of a file.
 * @param name file name or decoded path, with `/` or `\` between folders
 * @param hint the languageId that a client sent; decides only where the name does not
 * @param head gives the first line of the text (more does no harm); called only when nothing else decides
 * @returns an id, or undefined when nothing tells; "plaintext" only when nothing better is known
 */
export function languageOf(name: string, hint: string | undefined, head: () => string): string | undefined {
  const base = name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1);
  const hinted = hint ? canonicalLanguage(hint) : undefined;
  const named = byFileName.get(base) ?? byEnding(base, hinted);
  if (named !== undefined) return named;
  if (hinted !== undefined && hinted !== "plaintext") return hinted;
  return byInterpreter.get(interpreterOf(head())) ?? hinted;
}

function byEnding(base: string, hinted: string | undefined): string | undefined {
  // From the second character on: the dot of `.bashrc` begins no extension.
  for (let dot = base.indexOf(".", 1); dot !== -1; dot = base.indexOf(".", dot + 1)) {
    const ending = base.slice(dot);
    const several = ambiguous.get(ending.toLowerCase());
    const exact = byExtension.get(ending);
    if (several !== undefined && (exact === undefined || several.includes(exact)))
      return hinted !== undefined && several.includes(hinted) ? hinted : several[0];
    const found = exact ?? byExtension.get(ending.toLowerCase());
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The program of a `#!` line without directory and version, looking through `env` and its options; "" if there is none. */
function interpreterOf(head: string): string {
  const line = /^#![ \t]*([^\r\n]*)/.exec(head)?.[1];
  if (line === undefined) return "";
  const words = line.split(/[ \t]+/);
  let at = 0;
  if (programName(words[0]) === "env") {
    at = 1;
    for (let word = words[at]; word !== undefined; word = words[at]) {
      if (/^-[uCP]$/.test(word)) at += 2;
      else if (/^-S./.test(word)) words[at] = word.slice(2);
      else if (word.startsWith("-") || word.includes("=")) at += 1;
      else break;
    }
  }
  return programName(words[at]);
}

/** "/usr/bin/python3.11" -> "python" */
function programName(path: string | undefined): string {
  return (path ?? "")
    .replace(/^.*[/\\]/, "")
    .replace(/\.exe$/i, "")
    .replace(/-?[\d.]+$/, "");
}

function invert(keys: (row: Language) => readonly string[] | undefined): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (const [id, row] of languages) for (const key of keys(row) ?? []) if (!map.has(key)) map.set(key, id);
  return map;
}

const byExtension = invert((row) => row.extensions);
const byFileName = invert((row) => row.fileNames);
const byInterpreter = invert((row) => row.interpreters);
