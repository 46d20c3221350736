/** The walks over messages: whose each position is, what is left alone, tokens, URIs, versions. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { convertPositions, convertTokens, mapUris, mapVersions } from "../../server/core/forms/convert.ts";
import { type Encoding, linesOf, mapper, type Position, positionAt } from "../../server/core/positions.ts";

const ASKED = "file:///asked";
const OTHER = "file:///other";
const THIRD = "file:///third";

/** Moves a position as many lines as its document says, so that a result shows whose each position was taken to be. */
const LINES: Readonly<Record<string, number>> = { [ASKED]: 1000, [OTHER]: 2000, [THIRD]: 3000 };
const shift = (uri: string, p: Position) => ({ line: p.line + (LINES[uri] ?? Number.NaN), character: p.character });

/** A range on one line; `by` is the document's shift. */
const r = (line: number, by = 0) => ({
  start: { line: line + by, character: 1 },
  end: { line: line + by, character: 4 },
});
const A = 1000;
const O = 2000;
const T = 3000;

/** A message with the shift of each document put in: all zero is the input, the real ones the expected output. */
const MESSAGES: Readonly<Record<string, (a: number, o: number, t: number) => unknown>> = {
  "params with a position": (_, o) => ({ textDocument: { uri: OTHER }, position: { line: 3 + o, character: 2 } }),
  location: (_, o) => ({ uri: OTHER, range: r(1, o) }),
  "location links": (a, o) => [
    { originSelectionRange: r(1, a), targetUri: OTHER, targetRange: r(2, o), targetSelectionRange: r(3, o) },
    { targetUri: ASKED, targetRange: r(2, a), targetSelectionRange: r(3, a) },
  ],
  "document symbols": (a) => [
    {
      name: "x",
      kind: 12,
      range: r(1, a),
      selectionRange: r(1, a),
      children: [{ name: "y", range: r(2, a), selectionRange: r(2, a) }],
    },
  ],
  "symbol information": (_, o) => [{ name: "x", kind: 12, location: { uri: OTHER, range: r(5, o) } }],
  "incoming calls": (_, o, t) => [
    { from: { name: "f", uri: OTHER, range: r(1, o), selectionRange: r(1, o) }, fromRanges: [r(2, o), r(3, o)] },
    { from: { name: "g", uri: THIRD, range: r(1, t), selectionRange: r(1, t) }, fromRanges: [r(2, t)] },
  ],
  "outgoing calls": (a, o) => [
    { to: { name: "f", uri: OTHER, range: r(1, o), selectionRange: r(1, o) }, fromRanges: [r(2, a), r(3, a)] },
  ],
  "hierarchy item in params": (_, o) => ({ item: { name: "f", uri: OTHER, range: r(1, o), selectionRange: r(1, o) } }),
  "published diagnostics": (_, o, t) => ({
    uri: OTHER,
    version: 3,
    diagnostics: [
      {
        range: r(1, o),
        message: "m",
        relatedInformation: [{ location: { uri: THIRD, range: r(2, t) }, message: "n" }],
      },
    ],
  }),
  "pulled diagnostics": (a, o) => ({
    kind: "full",
    items: [{ range: r(1, a), message: "m" }],
    relatedDocuments: { [OTHER]: { kind: "full", items: [{ range: r(2, o), message: "n" }] } },
  }),
  "workspace diagnostics": (_, o, t) => ({
    items: [
      { kind: "full", uri: OTHER, version: null, items: [{ range: r(1, o), message: "m" }] },
      { kind: "full", uri: THIRD, version: 1, items: [{ range: r(1, t), message: "m" }] },
    ],
  }),
  "code action": (a, o, t) => [
    {
      title: "fix",
      diagnostics: [{ range: r(1, a), message: "m" }],
      edit: {
        changes: { [OTHER]: [{ range: r(1, o), newText: "x" }], [THIRD]: [{ range: r(1, t), newText: "y" }] },
        documentChanges: [
          { textDocument: { uri: THIRD, version: 2 }, edits: [{ range: r(4, t), newText: "z" }] },
          { kind: "create", uri: OTHER },
        ],
      },
    },
  ],
  "code action params": (_, o, t) => ({
    textDocument: { uri: OTHER },
    range: r(1, o),
    context: {
      diagnostics: [
        { range: r(2, o), relatedInformation: [{ location: { uri: THIRD, range: r(3, t) }, message: "" }] },
      ],
    },
  }),
  completion: (a) => ({
    isIncomplete: false,
    itemDefaults: { editRange: { insert: r(1, a), replace: r(2, a) } },
    items: [
      {
        label: "x",
        textEdit: { range: r(3, a), newText: "x" },
        additionalTextEdits: [{ range: r(4, a), newText: "" }],
      },
      { label: "y", textEdit: { insert: r(3, a), replace: r(4, a), newText: "x" } },
    ],
  }),
  "completion with one default range": (a) => ({ itemDefaults: { editRange: r(1, a) }, items: [] }),
  hover: (a) => ({ contents: { kind: "markdown", value: "line" }, range: r(1, a) }),
  highlights: (a) => [{ range: r(1, a), kind: 1 }],
  "prepared rename": (a) => ({ range: r(1, a), placeholder: "x" }),
  "selection ranges": (a) => [{ range: r(3, a), parent: { range: r(2, a), parent: { range: r(1, a) } } }],
  "folding ranges": (a) => [
    { startLine: 1 + a, endLine: 4 + a, kind: "comment" },
    { startLine: 1 + a, startCharacter: 3, endLine: 4 + a, endCharacter: 0 },
  ],
  "inlay hints": (a, o) => [
    {
      position: { line: 1 + a, character: 0 },
      label: [{ value: ": T", location: { uri: OTHER, range: r(9, o) } }],
      textEdits: [{ range: r(1, a), newText: ": T" }],
    },
  ],
  "linked editing": (a) => ({ ranges: [r(1, a), r(2, a)], wordPattern: "x" }),
  "document links": (a) => [{ range: r(1, a), target: OTHER }],
  "code lenses": (a) => [{ range: r(1, a), command: { title: "t", command: "c", arguments: [ASKED, r(7)] } }],
  colours: (a) => [{ range: r(1, a), color: { red: 0, green: 0, blue: 0, alpha: 1 } }],
  "show document": (_, o) => ({ uri: OTHER, selection: r(1, o) }),
};

test("every position is mapped with the document that it belongs to", () => {
  for (const [what, message] of Object.entries(MESSAGES)) {
    assert.deepEqual(convertPositions(message(0, 0, 0), ASKED, shift), message(A, O, T), what);
  }
});

test("what does not change stays the same object, and the input is not written to", () => {
  for (const [what, message] of Object.entries(MESSAGES)) {
    const value = message(0, 0, 0);
    assert.equal(
      convertPositions(value, ASKED, (_, position) => ({ ...position })),
      value,
      what,
    );
    convertPositions(value, ASKED, shift);
    mapUris(value, (uri) => `${uri}x`);
    assert.deepEqual(value, message(0, 0, 0), what);
    assert.equal(
      mapUris(value, (uri) => uri),
      value,
      what,
    );
    assert.equal(
      mapVersions(value, (_, version) => version),
      value,
      what,
    );
  }
  const untouched = { range: r(1) };
  const links = [untouched, { uri: OTHER, range: r(1) }];
  const [first] = convertPositions(links, ASKED, (uri, p) => (uri === OTHER ? shift(uri, p) : p));
  assert.equal(first, untouched);
});

test("what belongs to the backend is not entered", () => {
  const own = { uri: OTHER, version: 1, range: r(1), target: OTHER };
  const value = JSON.parse(
    JSON.stringify({
      label: "x",
      data: own,
      command: { title: "", command: "c", arguments: [own] },
      initializationOptions: own,
      settings: own,
    }).replace("{", '{"__proto__":{"uri":"file:///other"},'),
  );
  assert.equal(convertPositions(value, ASKED, shift), value);
  assert.equal(
    mapUris(value, () => "changed"),
    value,
  );
  assert.equal(
    mapVersions(value, () => 9),
    value,
  );
  // A name that every object inherits is a name like any other.
  assert.deepEqual(convertPositions({ constructor: r(1) }, ASKED, shift), { constructor: r(1, A) });
});

test("an empty range stays one place where text was inserted, a range keeps what it held", () => {
  const text = (string: string) => ({ string, lines: linesOf(string) });
  const before = text("ab");
  const places = (after: string, start: number, end: number) => {
    const map = mapper(before, "utf-16", text(after), "utf-16");
    const value = { start: { line: 0, character: start }, end: { line: 0, character: end } };
    const moved = convertPositions(value, ASKED, (_, position, side) => map(position, side));
    return [moved.start.character, moved.end.character];
  };
  assert.deepEqual(places("a--b", 1, 1), [3, 3]);
  assert.deepEqual(places("a--b", 0, 1), [0, 1]);
  assert.deepEqual(places("a--b", 1, 2), [3, 4]);
});

test("the tokens of a line after an emoji, in each encoding", () => {
  const text = '"😀" é = x\r\n  y';
  // line, column, length, type, modifiers: the string, é, x, y
  const tokens: Record<Encoding, number[]> = {
    "utf-16": [0, 0, 4, 0, 1, 0, 5, 1, 2, 0, 0, 4, 1, 2, 0, 1, 2, 1, 2, 7],
    "utf-32": [0, 0, 3, 0, 1, 0, 4, 1, 2, 0, 0, 4, 1, 2, 0, 1, 2, 1, 2, 7],
    "utf-8": [0, 0, 6, 0, 1, 0, 7, 2, 2, 0, 0, 5, 1, 2, 0, 1, 2, 1, 2, 7],
  };
  const encodings: Encoding[] = ["utf-8", "utf-16", "utf-32"];
  for (const from of encodings) {
    for (const to of encodings) {
      assert.deepEqual(convertTokens(tokens[from], text, linesOf(text), from, to), tokens[to], `${from} ${to}`);
    }
  }
  // A column inside a character is its start, and the columns after it are still counted from where it was meant.
  assert.deepEqual(
    convertTokens([0, 3, 1, 0, 0, 0, 3, 1, 0, 0], "é😀ab", [0], "utf-8", "utf-16"),
    [0, 1, 0, 0, 0, 0, 2, 1, 0, 0],
  );
  const past = [0, 90, 5, 0, 0, 9, 3, 5, 0, 0];
  assert.deepEqual(convertTokens(past, text, linesOf(text), "utf-16", "utf-8"), [0, 13, 5, 0, 0, 9, 0, 0, 0, 0]);
});

test("tokens cover the same text in every encoding", () => {
  const piece = fc.constantFrom("a", "bc", "é", "€", "😀", " ", "\n", "\r\n", "\r");
  const encoding = fc.constantFrom<Encoding>("utf-8", "utf-16", "utf-32");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), encoding, encoding, (parts, from, to) => {
      const text = parts.join("");
      const lines = linesOf(text);
      const encoded = (by: Encoding) => {
        const data: number[] = [];
        let last = { line: 0, character: 0 };
        let offset = 0;
        for (const part of parts) {
          const start = positionAt(text, lines, offset, by);
          offset += part.length;
          if (/\s/.test(part)) continue;
          const length = positionAt(text, lines, offset, by).character - start.character;
          const line = start.line - last.line;
          data.push(line, line === 0 ? start.character - last.character : start.character, length, 1, 0);
          last = start;
        }
        return data;
      };
      assert.deepEqual(convertTokens(encoded(from), text, lines, from, to), encoded(to));
    }),
    { numRuns: 300 },
  );
});

test("every URI is mapped, keys included", () => {
  const value = (f: (uri: string) => string) => ({
    textDocument: { uri: f("a") },
    links: [{ targetUri: f("a"), targetRange: r(1) }],
    files: [{ oldUri: f("a"), newUri: f("b") }],
    edit: {
      changes: { [f("a")]: [{ range: r(1), newText: "a" }], [f("b")]: [] },
      documentChanges: [{ kind: "delete", uri: f("a") }],
    },
    relatedDocuments: { [f("a")]: { kind: "full", items: [] } },
    items: [{ scopeUri: f("a"), section: "a" }],
    watchers: [{ globPattern: { baseUri: { uri: f("a"), name: "a" }, pattern: "a" } }, { baseUri: f("a") }],
    link: { range: r(1), target: f("a") },
    target: "a",
    changes: [{ uri: f("a"), type: 2 }],
    data: { uri: "a" },
  });
  assert.deepEqual(
    mapUris(
      value((uri) => uri),
      (uri) => `x:${uri}`,
    ),
    value((uri) => `x:${uri}`),
  );
});

test("edits under two spellings of one document are joined", () => {
  const edit = (newText: string) => ({ range: r(1), newText });
  const value = { changes: { "file:///a%2B": [edit("1")], "file:///b": [edit("2")], "file:///a+": [edit("3")] } };
  assert.deepEqual(
    mapUris(value, (uri) => uri.replace("%2B", "+")),
    {
      changes: { "file:///a+": [edit("1"), edit("3")], "file:///b": [edit("2")] },
    },
  );
});

test("versions are mapped where a document is named", () => {
  const value = {
    documentChanges: [
      { textDocument: { uri: ASKED, version: 7 }, edits: [] },
      { textDocument: { uri: OTHER, version: null }, edits: [] },
      { kind: "rename", oldUri: ASKED, newUri: OTHER },
    ],
    serverInfo: { name: "x", version: 3 },
  };
  const seen: unknown[] = [];
  const result = mapVersions(value, (uri, version) => {
    seen.push([uri, version]);
    return version === null ? 5 : null;
  });
  assert.deepEqual(seen, [
    [ASKED, 7],
    [OTHER, null],
  ]);
  assert.deepEqual(result.documentChanges[0], { textDocument: { uri: ASKED, version: null }, edits: [] });
  assert.deepEqual(result.documentChanges[1], { textDocument: { uri: OTHER, version: 5 }, edits: [] });
  assert.equal(result.serverInfo, value.serverInfo);
});

test("published diagnostics of an unknown version leave it out", () => {
  const published = { uri: ASKED, version: 7, diagnostics: [] };
  assert.deepEqual(
    mapVersions(published, () => null),
    { uri: ASKED, diagnostics: [] },
  );
  assert.deepEqual(
    mapVersions(published, () => 8),
    { uri: ASKED, version: 8, diagnostics: [] },
  );
  const unversioned = { uri: ASKED, diagnostics: [] };
  assert.equal(
    mapVersions(unversioned, () => 8),
    unversioned,
  );
});
