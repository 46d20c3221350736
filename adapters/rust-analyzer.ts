/** rust-analyzer, the Rust project's language server. Measured on 0.0.330, which calls itself 0.0.0. */
import { defineAdapter } from "./adapter.ts";
import { field, list, once } from "./params.ts";

export const rustAnalyzer = defineAdapter({
  name: "rust-analyzer",
  languages: ["rust"],
  roots: [["rust-project.json"], ["Cargo.toml"], [".git"]],
  multiRoot: true,
  heeds: {
    env: ["CARGO_BUILD_TARGET", "CARGO_HOME", "RUSTC", "RUSTC_WRAPPER", "RUSTFLAGS", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"],
    programs: ["cargo"],
  },
  command: ["rust-analyzer"],
  install: "rustup component add rust-analyzer",
  version: ["--version"],
  // Without this it sends no status.
  capabilities: { experimental: { serverStatusNotification: true } },
  // First `quiescent: false`, 10 ms after `initialized`; true, once, when the workspace is loaded and its caches are
  // primed: 0.8-1.2 s for one crate alone, 8-18 s on two busy cores with the standard library's sources, most of it
  // priming. Until the load (1.5-4 s) everything is `[]`; after it questions are answered right, but behind the priming.
  // Opening a file changes nothing.
  ready: {
    on: "notification",
    method: "experimental/serverStatus",
    when: (params) => field(params, "quiescent") === true,
  },
  // An answer before the load is empty, not partial, and the standard library alone takes this long.
  gates: { definition: 10_000, references: 20_000, symbol: 20_000, rename: 20_000 },
  // Nothing is held back in a root without trust: with build scripts and procedural macros off, the load itself still runs
  // what lies there (`cargo metadata` starts `build.rustc-wrapper` of `.cargo/config.toml`, cargo 1.95).
  warmUp: "none",
  // `cargo check` reports on the whole workspace.
  publishes: "project",
  // A type that begins with the query hides all functions; `#` asks for every kind. (`*` adds all dependencies: seconds.)
  symbol: { separator: "::", container: "nearest", queries: (leaf) => [`${leaf}#`], cap: 128 },
  role: "general",
  quirks: [
    {
      id: "functions-behind-types",
      why: "A type whose name begins with the query hides all functions; the query with a `#` behind it shows both.",
      link: "https://github.com/rust-lang/rust-analyzer/issues/14553",
      affects: "*",
      on: "workspace/symbol",
      // Both lists, since either may be cut at its cap.
      response: (result, params, ask, done) => {
        const query = field(params, "query");
        if (typeof query !== "string" || !/[^#*]$/.test(query)) return done(result);
        ask("workspace/symbol", { query: `${query}#` }, (answer) =>
          done("result" in answer ? once([...list(result), ...list(answer.result)]) : result),
        );
      },
    },
  ],
});
