/** `switchboard serve`: one Switchboard for several clients, until it is ended. */
import { serve } from "../shared/serve.ts";
import type { Run } from "./table.ts";

export const run: Run = (_, options) => serve(options);
