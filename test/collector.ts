/** Handlers for connections and processes that collect what they are told, and let a test wait for it. */
import type { Body } from "../server/wire/packet.ts";
import type { EndHandlers, ProcessExit, ProcessHandlers } from "../server/wire/transport.ts";

export function collector() {
  const bodies: string[] = [];
  const events: string[] = [];
  const waiting: { met: () => boolean; go: () => void }[] = [];
  const check = (): void => {
    for (const w of waiting.splice(0)) w.met() ? w.go() : waiting.push(w);
  };
  const note = (text: string): void => {
    events.push(text);
    check();
  };
  return {
    bodies,
    events,
    /** Resolves when `met` holds; it is looked at after each event. */
    until: (met: () => boolean): Promise<void> => new Promise((go) => (met() ? go() : waiting.push({ met, go }))),
    onBody(body: Body) {
      bodies.push((Buffer.isBuffer(body) ? body : Buffer.concat([...body])).toString());
      check();
    },
    onProblem: (p: { kind: string }) => note(`problem ${p.kind}`),
    onDrained: () => note("drained"),
    onClosed: (reason: string) => note(`closed: ${reason}`),
    onLog: (line: string) => note(`log: ${line}`),
    onExit: (exit: ProcessExit) => note(`exit ${exit.code} ${exit.signal} ${exit.error ?? ""}`),
  } satisfies EndHandlers & ProcessHandlers & Record<string, unknown>;
}
