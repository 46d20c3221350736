/** gopls, the Go team's language server. Measured on v0.21.1. */
import { defineAdapter } from "./adapter.ts";

export const gopls = defineAdapter({
  name: "gopls",
  languages: ["go", "go.mod", "go.work"],
  roots: [["go.work"], ["go.mod"], [".git"]],
  multiRoot: true,
  // Packages are loaded by `go list`.
  heeds: {
    env: "CGO_ENABLED GO111MODULE GOARCH GOENV GOEXPERIMENT GOFLAGS GOMODCACHE GOOS GOPATH GOROOT GOTOOLCHAIN GOWORK".split(
      " ",
    ),
    programs: ["go"],
  },
  command: ["gopls"],
  install: "go install golang.org/x/tools/gopls@latest",
  version: ["version"],
  // Questions about the project wait until the packages are loaded (0.1 s on two packages), with nothing open too. They
  // wait for ever while its own window/workDoneProgress/create is unanswered.
  ready: { on: "initialized" },
  warmUp: "none",
  // It reports errors in packages that nobody opened, 1 s after the load.
  publishes: "project",
  // `Metrics.Record` in `example.com/fx/signal`: the name holds the types, the container is the import path, whose last
  // segment need not be the package's name (`main`). A dotted query has the package in the name where that is needed to
  // match: `other.Odd`.
  // Anything that has the letters of a query in order fills the list, the standard library's first of all.
  symbol: { separator: ".", container: "path", cap: 100, narrowed: (leaf) => `${leaf}$` },
  role: "general",
  quirks: [],
});
