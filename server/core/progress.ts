/**
 * Work-done progress (LSP 3.18, Work Done Progress). Tokens towards a client are ours, one per backend, token and client, so
 * that two backends or two clients may use equal ones. A client hears of a progress that a backend began by itself once it
 * has accepted our token; every begun progress gets its `end`, also when the backend dies.
 */
import { M } from "../protocol/methods.ts";
import { notification } from "../wire/compose.ts";
import type { Backend } from "./backends.ts";
import type { Call } from "./calls.ts";
import type { Client } from "./clients.ts";
import type { Mux } from "./mux.ts";

export type Token = string | number;

interface Entry {
  readonly backend: Backend;
  /** The backend's token. */
  readonly theirs: Token;
  readonly client: Client;
  /** The token that the client knows: its own for a request of it, else ours. */
  readonly ours: Token;
  state: "asking" | "open" | "refused";
  begun: boolean;
  /** What came while the client was asked whether it takes the token. */
  readonly pending: unknown[];
}

/** How long a client may take to accept a token, ms; afterwards it hears nothing of that progress. */
const CREATE_MS = 5000;

export class Progress {
  readonly #mux: Mux;
  readonly #entries = new Map<Backend, Map<Token, Entry[]>>();
  /** Requests of ours that their clients see under way. */
  readonly #calls = new Map<Call, { readonly client: Client; readonly token: Token }>();
  #last = 0;

  constructor(mux: Mux) {
    this.#mux = mux;
  }

  /** The token for a client's request towards a backend; what the backend reports goes back under the client's own. */
  ofRequest(backend: Backend, client: Client, token: Token): Token {
    const theirs = this.next();
    this.#add({ backend, theirs, client, ours: token, state: "open", begun: false, pending: [] });
    return theirs;
  }

  /** A request that we answer ourselves is under way, which its client wants to see under its own token. */
  begin(call: Call, client: Client, token: Token, title: string): void {
    this.#calls.set(call, { client, token });
    tell(this.#mux, client, token, { kind: "begin", title });
  }

  /** It is about to be answered: nothing is reported under its token any more. */
  over(call: Call): void {
    const shown = this.#calls.get(call);
    if (shown === undefined) return;
    this.#calls.delete(call);
    tell(this.#mux, shown.client, shown.token, { kind: "end" });
  }

  /** A backend announces a progress of its own. Whatever it had begun under this token before is over. */
  create(backend: Backend, token: Token): void {
    this.answered(backend, token);
    this.#tokensOf(backend).set(token, []);
    for (const client of backend.clients) {
      if (!client.initialized || !client.can("window.workDoneProgress")) continue;
      const entry: Entry = {
        backend,
        theirs: token,
        client,
        ours: this.next(),
        state: "asking",
        begun: false,
        pending: [],
      };
      this.#add(entry);
      this.#mux.askClient(client, M.workDoneProgressCreate, { token: entry.ours }, CREATE_MS, (reply) => {
        entry.state = "error" in reply ? "refused" : "open";
        if (entry.state === "open") for (const value of entry.pending.splice(0)) this.#send(entry, value);
      });
    }
  }

  /** A `$/progress` of a backend. */
  report(backend: Backend, token: Token, value: unknown): void {
    const entries = this.#entries.get(backend)?.get(token);
    if (entries === undefined) return this.#mux.drops.count("progress under a token that was never created");
    for (const entry of entries) {
      if (entry.state === "open") this.#send(entry, value);
      else if (entry.state === "asking") entry.pending.push(value);
    }
    if (kindOf(value) === "end") this.#entries.get(backend)?.delete(token);
  }

  /**
   * The request that a token came with is answered, or nobody waits for its answer: nothing is reported under it any more
   * (LSP 3.18, Work Done Progress).
   */
  answered(backend: Backend, token: Token): void {
    for (const entry of this.#entries.get(backend)?.get(token) ?? []) this.#close(entry);
    this.#entries.get(backend)?.delete(token);
  }

  /** The client cancels a progress that it was shown: the backends are told, each under its own token. */
  cancel(client: Client, token: Token): void {
    const entries = this.#under(client, token);
    for (const { backend, theirs } of entries)
      this.#mux.send(backend, [notification(M.workDoneProgressCancel, { token: theirs })]);
    if (entries.length === 0) this.#mux.drops.count("cancel of an unknown progress");
  }

  /** The backend's process ended: what it had begun is over. */
  ended(backend: Backend): void {
    for (const entries of this.#entries.get(backend)?.values() ?? []) for (const entry of entries) this.#close(entry);
    this.#entries.delete(backend);
  }

  gone(client: Client): void {
    for (const byToken of this.#entries.values())
      for (const [token, entries] of byToken)
        byToken.set(
          token,
          entries.filter((entry) => entry.client !== client),
        );
  }

  #close(entry: Entry): void {
    // A client that has yet to accept the token is to hear of no beginning without an end.
    entry.pending.splice(0);
    if (entry.begun) this.#send(entry, { kind: "end" });
  }

  /** One token of a request may go to several backends: the client hears the first beginning and the last end. */
  #send(entry: Entry, value: unknown): void {
    const kind = kindOf(value);
    if (!entry.begun && (kind === "report" || kind === "end"))
      return this.#mux.drops.count("progress that had not begun");
    if (kind === "begin") entry.begun = true;
    if (kind === "end") entry.begun = false;
    const others = kind === "begin" || kind === "end" ? this.#under(entry.client, entry.ours) : [];
    if (others.some((other) => other !== entry && other.begun)) return;
    tell(this.#mux, entry.client, entry.ours, value);
  }

  #under(client: Client, token: Token): readonly Entry[] {
    const all = [...this.#entries.values()].flatMap((byToken) => [...byToken.values()].flat());
    return all.filter((entry) => entry.client === client && entry.ours === token);
  }

  #add(entry: Entry): void {
    const byToken = this.#tokensOf(entry.backend);
    const known = byToken.get(entry.theirs);
    if (known === undefined) byToken.set(entry.theirs, [entry]);
    else known.push(entry);
  }

  #tokensOf(backend: Backend): Map<Token, Entry[]> {
    const known = this.#entries.get(backend);
    if (known !== undefined) return known;
    const none = new Map<Token, Entry[]>();
    this.#entries.set(backend, none);
    return none;
  }

  /** A token that nobody else has. */
  next(): string {
    this.#last++;
    return `switchboard-${this.#last}`;
  }
}

function tell(mux: Mux, client: Client, token: Token, value: unknown): void {
  if (client.state === "open") mux.send(client, [notification(M.progress, { token, value })]);
}

/** LSP 3.18, ProgressToken. */
export function isToken(value: unknown): value is Token {
  return typeof value === "string" || typeof value === "number";
}

function kindOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && "kind" in value ? value.kind : undefined;
}
