/**
 * A language server as small as it can be: completes anything with items whose `data` are given as JSON text, and keeps
 * the bytes of each request to resolve one. `node opaque-backend.js DATA KEPT`: DATA is a JSON list of texts, null for
 * an item without `data`; in KEPT each frame ends with a NUL.
 */
import { appendFileSync, readFileSync } from "node:fs";

const [dataFile = "", kept = ""] = process.argv.slice(2);
const data = JSON.parse(readFileSync(dataFile, "utf8")) as readonly (string | null)[];

function answer(body: Buffer): void {
  const { id, method } = JSON.parse(body.toString()) as { id?: number; method?: string };
  if (method === "exit") process.exit(0);
  if (id === undefined || method === undefined) return;
  if (method === "completionItem/resolve") appendFileSync(kept, Buffer.concat([body, Buffer.from("\0")]));
  send(`{"jsonrpc":"2.0","id":${id},"result":${results[method] ?? "null"}}`);
}

const items = data.map((text, i) => `{"label":"item ${i}"${text === null ? "" : `,"data":${text}`}}`);
const results: Readonly<Record<string, string>> = {
  initialize: '{"capabilities":{"textDocumentSync":1,"completionProvider":{"resolveProvider":true}}}',
  "textDocument/completion": `{"isIncomplete":false,"items":[${items.join(",")}]}`,
  "completionItem/resolve": '{"label":"resolved","detail":"by this backend"}',
};

function send(text: string): void {
  process.stdout.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

let input = Buffer.alloc(0);
process.stdin.on("data", (chunk: Buffer) => {
  input = Buffer.concat([input, chunk]);
  for (;;) {
    const header = /^Content-Length: (\d+)\r\n\r\n/.exec(input.toString("latin1", 0, 64));
    if (header === null) return;
    const start = header[0].length;
    const end = start + Number(header[1]);
    if (input.length < end) return;
    answer(input.subarray(start, end));
    input = input.subarray(end);
  }
});
process.stdin.on("end", () => process.exit(0));
