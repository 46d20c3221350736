/**
 * What a message of the wrong shape costs, or a fault of our own: the one question that it belongs to, never the process.
 * Whatever is thrown while a message is handled is counted, logged and made into the error of an answer here.
 */
import { errors, type ResponseError } from "../../protocol/errors.ts";
import type { Mux } from "../mux.ts";

/** @param source who sent the message, for the log */
export function faultOf(mux: Mux, source: string, method: string, fault: unknown): ResponseError {
  if (fault instanceof SyntaxError) {
    mux.drops.count("params that are not JSON");
    mux.ports.log("warn", source, `a body that is not JSON, of ${method}: ${fault.message}`);
    return errors.badJson(method, fault.message);
  }
  mux.drops.count("fault of our own");
  const { message, stack = message } = fault instanceof Error ? fault : new Error(String(fault));
  mux.ports.log("error", source, `a fault of ours at ${method}: ${stack}`);
  return errors.internal(`${message}, at "${method}"`);
}
