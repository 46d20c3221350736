/**
 * `switchboard syntax --stdio`: the syntax backend, which Switchboard starts by itself. A program of its own, which the
 * launcher chooses (`bin/main.cts`), so that neither is loaded with the other.
 */
import { serveSyntax } from "../syntax/server.ts";

serveSyntax();
