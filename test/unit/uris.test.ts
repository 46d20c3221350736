/** One key for all spellings of a document, and paths of URIs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalUri, isPlain, pathOf, uriOfPath } from "../../server/core/documents/uris.ts";

/** `/link` leads to `/home/real`. */
const real = (path: string) => path.replace(/^\/link(?=\/|$)/, "/home/real");
const key = (uri: string) => canonicalUri(uri, real);
const posix = process.platform === "win32" ? { skip: "paths of this test are POSIX paths" } : {};

test("all spellings of a file have one key", posix, () => {
  const table: [string, ...string[]][] = [
    [
      "file:///w/sp%20ace%2B%C3%A9%25%5Bx%5D/x.cpp",
      "file:///w/sp%20ace+é%25[x]/x.cpp",
      "file:///w/sp%20ace%2b%c3%a9%25%5bx%5d/x.cpp",
      "file:///w/sp ace+%C3%A9%25%5Bx]/x.cpp",
      "file://localhost/w/./y/../sp%20ace+é%25[x]/x.cpp",
      "FILE:///w/sp%20ace+é%25[x]/x.cpp",
    ],
    ["file:///home/real/a.ts", "file:///link/a.ts", "file:///%6Cink/a.ts", "file:///link/./b/../a.ts"],
    ["file:///c%3A/dir/a.ts", "file:///C:/dir/a.ts", "file:///c:/dir/a.ts", "file:///C%3a/dir/a.ts"],
    ["file:///home/real", "file:///link/", "file:///home/real/"],
    ["file:///", "file:///", "file:///."],
    ["file:///a~b_c-d.e", "file:///a%7Eb%5Fc%2Dd%2Ee"],
  ];
  for (const [expected, ...spellings] of table) for (const uri of spellings) assert.equal(key(uri), expected, uri);
});

test("what differs has different keys", posix, () => {
  const uris = [
    "file:///a",
    "file:///A",
    "file:///a#L1",
    "file:///a?x",
    "file:///a%23L1",
    "file:///a%2520",
    "file:///a%20",
  ];
  assert.equal(new Set(uris.map(key)).size, uris.length);
});

test("other schemes keep what they are, in our spelling", () => {
  const table: [string, string][] = [
    ["untitled:Untitled-1", "untitled:Untitled-1"],
    ["Untitled:a b", "untitled:a%20b"],
    ["jdt://contents/rt.jar/a.class?=x/%5c%2fusr", "jdt://contents/rt.jar/a.class?%3Dx/%5C%2Fusr"],
    ["jdt://contents/rt.jar/a.class?%3Dx/%5C%2Fusr", "jdt://contents/rt.jar/a.class?%3Dx/%5C%2Fusr"],
    ["zipfile:///a.zip::b%2Fc", "zipfile:///a.zip%3A%3Ab%2Fc"],
    ["file:///a%2Fb%zz", "file:///a%2Fb%zz"],
    ["a.zip", "a.zip"],
    ["c:\\a", "c:\\a"],
    ["", ""],
  ];
  for (const [uri, expected] of table) assert.equal(key(uri), expected, uri);
});

test("a plain URI is one that nobody spells otherwise, of a file that is no link", () => {
  const table: [string, boolean][] = [
    ["file:///home/real/a-b_c~1.ts", true],
    ["file:///link/a.ts", false],
    ["file:///a/../b", false],
    ["file:///a//b", false],
    ["file:///.a/..b/c..", true],
    ["file:///a%20b", false],
    ["file:///a+b", false],
    ["file:///é", false],
    ["file:///c:/a", false],
    ["file://host/a", false],
    ["untitled:a", false],
    ["file:///a#b", false],
    ["file:///a\n", false],
  ];
  for (const [uri, expected] of table) assert.equal(isPlain(uri, real), expected, uri);
});

test("paths of URIs and URIs of paths", posix, () => {
  const paths = ["/", "/a", "/a b/é%/[x]#?.ts", "/a%20b", "/😀", "/back\\slash", "/tab\tnew\nline", "/a:b"];
  for (const path of paths) {
    const uri = uriOfPath(path);
    assert.match(uri, /^file:\/\/\/[A-Za-z0-9/._~%-]*$/);
    assert.equal(pathOf(uri), path);
    assert.equal(key(uri), uri);
  }
  const none = [
    "untitled:a",
    "file:///%zz",
    "file:///a%2Fb",
    "file:///%FF",
    "file:///a%00b",
    "file://host/a",
    "",
    "/a",
  ];
  for (const uri of none) assert.equal(pathOf(uri), null, uri);
});

test("never throws, and a key is its own key", () => {
  const piece = fc.constantFrom(
    "file:",
    "//",
    "/",
    "%",
    "%zz",
    "%2F",
    "%C3",
    "é",
    "\ud83d",
    "😀",
    "C:",
    "?",
    "#",
    "..",
    "a",
    "[",
    "\\",
    "\0",
    "\n",
    " ",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 10 }), (parts) => {
      const uri = parts.join("");
      const canonical = canonicalUri(uri, (path) => path);
      assert.equal(
        canonicalUri(canonical, (path) => path),
        canonical,
        uri,
      );
      isPlain(uri, real);
      pathOf(uri);
      uriOfPath(`/${uri}`);
    }),
    { numRuns: 1000 },
  );
});
