/**
 * A long document that a client opens goes on to its server while it comes in, so that a server begins to read what a client
 * still writes: where it is the client's own didOpen that the server would get (`align.ts`), at most under another version, and
 * nothing stands against that. It becomes a view of the client when it is whole, as any other (`sync.ts`). Should the message break
 * off, or somebody else want another text of that document meanwhile, the server gets half a text and at once its didClose.
 */
import { M, rowOf } from "../../protocol/methods.ts";
import { notification, spliced } from "../../wire/compose.ts";
import { fieldSpan, fieldStart } from "../../wire/fields.ts";
import type { Flow } from "../../wire/framing.ts";
import { freeLength, Onward } from "../../wire/onward.ts";
import { isMalformed, readPacket } from "../../wire/packet.ts";
import type { Span } from "../../wire/scan.ts";
import type { Start } from "../../wire/start.ts";
import type { Backend } from "../backends.ts";
import { onSilence } from "../calls/passing.ts";
import type { Client } from "../clients.ts";
import { openedDocument } from "../documents.ts";
import type { Mux } from "../mux.ts";
import type { Timer } from "../ports.ts";
import { eager } from "../route/serving.ts";
import { closeFrame, type Frame } from "./align.ts";

/** Takes a didOpen of which the rest is still to come; null: it has to be received whole. `length`: of its body, bytes. */
export function openOn(mux: Mux, client: Client, start: Start, length: number): Flow | null {
  if (start.method === undefined || rowOf(start.method)?.own !== "didOpen" || client.state !== "open") return null;
  const document = openedDocument(start);
  if (document === null || document.version === null || client.views.has(document.uri)) return null;
  const { uri, languageId } = document;
  const span = fieldSpan(start, ["textDocument", "version"]);
  // Its text has begun, so that all before it is whole; and that is sure to go at once.
  const text = fieldStart(start, ["textDocument", "text"]);
  if (span === undefined || text < span.end || text >= Math.min(start.bytes.length, freeLength(length))) return null;
  const key = mux.documents.keyOf(uri);
  if (mux.documents.viewsOf(key).size > 0) return null;
  let isRead = false;
  const language = mux.languageOf(uri, languageId, client, () => {
    isRead = true;
    return "";
  });
  // A server is told our own name of the language.
  if (isRead || language !== languageId) return null;
  const [spec, ...others] = eager(client, language);
  const backend = spec === undefined || others.length > 0 ? undefined : mux.pool.find(client, spec, key);
  if (backend === undefined || !client.backends.has(backend) || !takes(backend, { uri, key })) return null;
  const ours = backend.docs.get(key);
  if (ours !== undefined) mux.send(backend, [closeFrame(backend, ours)]);
  // Should somebody else open it meanwhile, theirs comes later.
  const bytes = Buffer.from(String(backend.versions.take(key, document.version)));
  const passedLength = length + bytes.length - (span.end - span.start);
  const frame = mux.ports.open(backend.peer, passedLength);
  if (frame === null) return null;
  const edit = { span, bytes };
  backend.opening = new Opening(mux, client, backend, { uri, key, edit }, new Onward(frame, passedLength));
  return backend.opening;
}

interface Document {
  readonly uri: string;
  readonly key: string;
  /** Its version as it is told to the server, in place of the client's. */
  readonly edit: { readonly span: Span; readonly bytes: Buffer };
}

/**
 * Whether the client's own message would be sent at once: the server has nothing else to do with this document, but that it
 * holds it as we have opened it for a question that is answered.
 */
function takes(backend: Backend, { uri, key }: Pick<Document, "uri" | "key">): boolean {
  if (!backend.runs || backend.opening !== null || backend.quarantine.has(key)) return false;
  const held = backend.docs.get(key);
  if (held !== undefined && (held.by === "client" || backend.working.size > 0)) return false;
  if (backend.queue.length > 0 || backend.wants.has(key)) return false;
  return (backend.knownSpelling(key) ?? uri) === uri;
}

/** Whether a frame about a document is the didOpen that has gone already; ends that of another text of the document. */
export function hasPassed(backend: Backend, key: string, frame: Frame): boolean {
  const { opening } = backend;
  if (opening === null || opening.key !== key) return false;
  const isIt = frame === opening.pieces;
  if (isIt) opening.finish();
  else opening.fail();
  return isIt;
}

/** One didOpen on its way. */
export class Opening implements Flow {
  readonly #mux: Mux;
  readonly #client: Client;
  readonly #backend: Backend;
  readonly #document: Document;
  readonly #onward: Onward;
  readonly #watch: Timer;
  /** The message's, as they are received. */
  readonly pieces: Buffer[] = [];

  constructor(mux: Mux, client: Client, backend: Backend, document: Document, onward: Onward) {
    this.#mux = mux;
    this.#client = client;
    this.#backend = backend;
    this.#document = document;
    this.#onward = onward;
    this.#watch = onSilence(mux, onward, () => this.fail());
  }

  get key(): string {
    return this.#document.key;
  }

  get version(): number {
    return Number(this.#document.edit.bytes.toString("latin1"));
  }

  write(piece: Buffer): boolean {
    const { span, bytes } = this.#document.edit;
    const isFirst = this.pieces.push(piece) === 1;
    return this.#onward.write(isFirst ? Buffer.concat([...spliced([piece], span, bytes)]) : piece);
  }

  /** It is received as any message is; if that does not make it what the server holds, the server is told to forget it. */
  end(whole: boolean): void {
    if (whole) {
      const packet = readPacket(this.pieces);
      if (isMalformed(packet)) this.#mux.malformed(this.#client.peer, packet);
      else this.#mux.receive(this.#client.peer, packet);
    }
    this.fail();
  }

  /** The client's view is what its server has got. */
  finish(): void {
    this.#watch.cancel();
    this.#onward.finish();
    this.#backend.opening = null;
  }

  /** Nothing where it is over already; a process that is gone has nothing to be told. */
  fail(): void {
    this.#watch.cancel();
    this.#onward.fail();
    if (this.#backend.opening !== this) return;
    this.#backend.opening = null;
    this.#mux.drops.count("didOpen broken off");
    this.#mux.send(this.#backend, [notification(M.didClose, { textDocument: { uri: this.#document.uri } })]);
  }
}
