/** The parsing thread: one job at a time, from a text or a file to plain data. What hangs or breaks here ends here. */
import { readFileSync, statSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { decoded } from "./decoded.ts";
import { heapBytes } from "./grammars.ts";
import { type Answers, Failure, type Job, type Message, type Source } from "./jobs.ts";
import { read } from "./read.ts";

/** Larger files are not parsed, bytes. */
const MAX_BYTES = 4 << 20;

const port = parentPort;
port?.on("message", ({ id, job }: { id: number; job: Job }) => {
  void answer(job).then(
    (found) => send({ id, heap: heapBytes(), broken: false, answer: found }),
    (fault: unknown) => {
      const known = fault instanceof Failure;
      const message = fault instanceof Error ? fault.message : String(fault);
      // What the parser itself throws leaves its memory in no known state.
      send({ id, heap: heapBytes(), broken: !known, code: known ? fault.code : "unparsed", message });
    },
  );
});

function send(message: Message): void {
  port?.postMessage(message);
}

async function answer({ subject, task }: Job): Promise<Answers[keyof Answers]> {
  return read(subject.language, textOf(subject.source), task);
}

function textOf(source: Source): string {
  if ("text" in source) return source.text;
  try {
    const found = statSync(source.path);
    // A FIFO would be waited for.
    if (!found.isFile()) throw new Failure("unreadable", "it is no plain file");
    if (found.size > MAX_BYTES) throw new Failure("tooLarge", `it has more than ${MAX_BYTES >> 20} MB`);
    return decoded(readFileSync(source.path));
  } catch (fault) {
    if (fault instanceof Failure) throw fault;
    throw new Failure("unreadable", fault instanceof Error ? fault.message : String(fault));
  }
}
