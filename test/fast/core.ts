import { importAll } from "../files.ts";

await importAll("core");
