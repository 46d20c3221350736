import { importAll } from "../files.ts";

await importAll("unit");
