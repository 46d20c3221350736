// A fast scripted language server on stdio: canned answers of known sizes, made at first use so that starting costs
// nothing. What it answers is fixed here; what is asked, and when, is `client.ts`.
import { FrameReader, writeAll, writePieces } from "./frames.ts";

const STDIN = 0;
const STDOUT = 1;
const MB = 1 << 20;
const SMALL = 4096;
/** Line of a completion request whose items carry no `data`; on any other line they do. */
const PLAIN_LINE = 3;

interface Request {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly position?: { readonly line: number }; readonly data?: unknown };
}

/** More than the abilities of any client take, bytes. */
const LARGE = 64 * 1024;

const INITIALIZED = Buffer.from(
  JSON.stringify({
    capabilities: {
      textDocumentSync: { openClose: true, change: 2 },
      hoverProvider: true,
      completionProvider: { resolveProvider: true },
      documentSymbolProvider: true,
      referencesProvider: true,
    },
    serverInfo: { name: "bench", version: "1" },
  }),
);
const HOVER = Buffer.from(
  JSON.stringify({ contents: { kind: "markdown", value: "const value: number, a short hover as servers answer it" } }),
);
const NULL = Buffer.from("null");

/** `{"isIncomplete":false,"items":[...]}` of at least `size` bytes. */
const plainItems = once(() => listing(MB, '{"isIncomplete":false,"items":[', "]}", (i) => item(i, "")));
const itemsWithData = once(() =>
  listing(MB, '{"isIncomplete":false,"items":[', "]}", (i) => item(i, `,"data":${dataOf(i)}`)),
);
const symbols = once(() => listing(8 * MB, "[", "]", symbol));
const references = once(() => listing(8 * MB, "[", "]", reference));

const reader = new FrameReader(STDIN);
const small = Buffer.allocUnsafeSlow(SMALL);

for (let slice = reader.next(); slice !== null; slice = reader.next()) {
  const { start, end } = slice;
  // A large frame can only be a didOpen, which asks for nothing; its text is not read.
  if (end - start > LARGE) {
    if (!reader.bytes.toString("latin1", start, start + 512).includes('"textDocument/didOpen"')) {
      throw new Error("a large frame that is no didOpen");
    }
    continue;
  }
  const message = JSON.parse(reader.bytes.toString("utf8", start, end)) as Request;
  if (message.method === "exit") break;
  if (message.id !== undefined && message.method !== undefined) answer(message.id, message.method, message.params);
}

function answer(id: number | string, method: string, params: Request["params"]): void {
  if (method === "textDocument/references") idLast(id, references());
  else idFirst(id, resultOf(method, params));
}

function resultOf(method: string, params: Request["params"]): Buffer {
  switch (method) {
    case "initialize":
      return INITIALIZED;
    case "textDocument/hover":
      return HOVER;
    case "textDocument/completion":
      return params?.position?.line === PLAIN_LINE ? plainItems() : itemsWithData();
    case "textDocument/documentSymbol":
      return symbols();
    case "completionItem/resolve":
      // Says what the item's data were when they came back.
      return Buffer.from(JSON.stringify({ ...params, detail: JSON.stringify(params?.data) }));
    default:
      return NULL;
  }
}

function idFirst(id: number | string, result: Buffer): void {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
  const header = `Content-Length: ${head.length + result.length + 1}\r\n\r\n${head}`;
  if (header.length + result.length < SMALL) {
    let length = small.write(header, 0, "latin1");
    length += result.copy(small, length);
    length += small.write("}", length, "latin1");
    writeAll(STDOUT, small, length);
  } else {
    writePieces(STDOUT, [Buffer.from(header), result, Buffer.from("}")]);
  }
}

/** The order of keys that gopls writes. */
function idLast(id: number | string, result: Buffer): void {
  const head = '{"jsonrpc":"2.0","result":';
  const tail = `,"id":${JSON.stringify(id)}}`;
  const size = head.length + result.length + tail.length;
  writePieces(STDOUT, [Buffer.from(`Content-Length: ${size}\r\n\r\n${head}`), result, Buffer.from(tail)]);
}

function item(i: number, data: string): string {
  const detail = `(method) completionItem${i}(a: string, b: number): void`;
  return `{"label":"completionItem${i}","kind":3,"detail":"${detail}","sortText":"${String(i).padStart(5, "0")}"${data}}`;
}

function dataOf(i: number): string {
  return `{"entry":${i},"file":"x"}`;
}

function symbol(i: number): string {
  const range = `{"start":{"line":${i},"character":0},"end":{"line":${i + 1},"character":0}}`;
  const selection = `{"start":{"line":${i},"character":4},"end":{"line":${i},"character":15}}`;
  return `{"name":"symbol${i}","kind":12,"range":${range},"selectionRange":${selection},"children":[]}`;
}

function reference(i: number): string {
  const range = `{"start":{"line":${i},"character":4},"end":{"line":${i},"character":12}}`;
  return `{"uri":"file:///w/file${i % 997}.py","range":${range}}`;
}

/** JSON text of a list whose elements are added until it has `size` bytes. */
function listing(size: number, open: string, close: string, element: (i: number) => string): Buffer {
  const parts: string[] = [];
  let length = open.length + close.length;
  for (let i = 0; length < size; i++) {
    const text = element(i);
    parts.push(text);
    length += text.length + 1;
  }
  return Buffer.from(open + parts.join(",") + close);
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
