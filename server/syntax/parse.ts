/**
 * Parsing in a thread of its own, in order: a job that hangs is given up, a thread that died or grew is replaced, and what
 * waits behind is served by the next one. What is counted here is what `coverage` calls unparsed.
 */
import { Worker } from "node:worker_threads";
import { type Answers, Failure, type Job, type Message, type Subject, type Task } from "./jobs.ts";

export interface ParsingOptions {
  /** The thread's script; default: ours. */
  readonly worker?: URL;
  /** A job that takes longer has hung, ms. Above the parser's own limit, which leaves the thread alive. */
  readonly hangMs?: number;
  /** A thread whose parsers hold more than this is replaced, bytes. */
  readonly maxHeap?: number;
  readonly log?: (text: string) => void;
}

const defaults = { worker: new URL("worker.js", import.meta.url), hangMs: 8000, maxHeap: 192 << 20, log: () => {} };

interface Waiting {
  readonly job: Job;
  readonly done: (answer: Answers[keyof Answers]) => void;
  readonly failed: (fault: Failure) => void;
}

export class Parsing {
  readonly #options: Required<ParsingOptions>;
  readonly #queue: Waiting[] = [];
  #worker: Worker | null = null;
  #current: { readonly id: number; readonly waiting: Waiting; readonly timer: NodeJS.Timeout } | null = null;
  #ids = 0;
  #closed = false;
  /** Since the start: jobs, texts given up, threads started. */
  readonly counts = { jobs: 0, unparsed: 0, threads: 0 };

  constructor(options: ParsingOptions = {}) {
    this.#options = { ...defaults, ...options };
  }

  /**
   * @param urgent before all that waits: somebody waits for this one
   * @throws Failure
   */
  run<T extends Task>(subject: Subject, task: T, urgent?: boolean): Promise<Answers[T["what"]]>;
  run(subject: Subject, task: Task, urgent = false): Promise<Answers[keyof Answers]> {
    return new Promise((done, failed) => {
      if (this.#closed) return failed(ended());
      const waiting = { job: { subject, task }, done, failed };
      if (urgent) this.#queue.unshift(waiting);
      else this.#queue.push(waiting);
      this.#next();
    });
  }

  /** How many jobs wait or run. */
  get load(): number {
    return this.#queue.length + (this.#current === null ? 0 : 1);
  }

  /** What waits and what is under way fails, as does whatever is asked for from now on: no thread is started any more. */
  close(): void {
    this.#closed = true;
    const current = this.#current;
    this.#current = null;
    clearTimeout(current?.timer);
    this.#drop();
    current?.waiting.failed(ended());
    for (const { failed } of this.#queue.splice(0)) failed(ended());
  }

  #next(): void {
    if (this.#current !== null) return;
    const waiting = this.#queue.shift();
    if (waiting === undefined) return;
    const id = ++this.#ids;
    const { hangMs } = this.#options;
    const timer = setTimeout(() => this.#lost(`no answer within ${hangMs} ms`), hangMs);
    this.#current = { id, waiting, timer };
    this.counts.jobs++;
    this.#thread().postMessage({ id, job: waiting.job });
  }

  #thread(): Worker {
    if (this.#worker !== null) return this.#worker;
    this.counts.threads++;
    const worker = new Worker(this.#options.worker);
    this.#worker = worker;
    // An idle thread keeps no process alive.
    worker.unref();
    worker.on("message", (message: Message) => this.#answered(worker, message));
    worker.on("error", (fault) => this.#died(worker, fault.message));
    worker.on("exit", () => this.#died(worker, "the parsing thread ended"));
    return worker;
  }

  #answered(worker: Worker, message: Message): void {
    const current = this.#current;
    if (worker !== this.#worker || current === null || message.id !== current.id) return;
    const { heap, broken } = message;
    if (broken || heap > this.#options.maxHeap) {
      this.#options.log(broken ? "the parser broke: a new thread" : `the parsers hold ${heap >> 20} MB: a new thread`);
      this.#drop();
    }
    this.#finish("answer" in message ? message.answer : new Failure(message.code, message.message));
  }

  #died(worker: Worker, reason: string): void {
    if (worker === this.#worker) this.#lost(reason);
  }

  #lost(reason: string): void {
    this.#options.log(`${nameOf(this.#current?.waiting.job)}: given up, ${reason}`);
    this.#drop();
    this.#finish(new Failure("unparsed", reason));
  }

  #finish(outcome: Answers[keyof Answers] | Failure): void {
    const current = this.#current;
    if (current === null) return;
    clearTimeout(current.timer);
    this.#current = null;
    if (outcome instanceof Failure) {
      if (outcome.code === "unparsed") this.counts.unparsed++;
      current.waiting.failed(outcome);
    } else current.waiting.done(outcome);
    this.#next();
  }

  #drop(): void {
    const worker = this.#worker;
    this.#worker = null;
    void worker?.terminate();
  }
}

function ended(): Failure {
  return new Failure("unparsed", "the backend ends");
}

function nameOf(job: Job | undefined): string {
  if (job === undefined) return "no job";
  const { source, language } = job.subject;
  return "path" in source ? source.path : `a text in ${language}`;
}
