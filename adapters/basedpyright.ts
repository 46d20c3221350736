/** basedpyright, a fork of pyright that checks more. Measured on 1.40.2: roots, loading and names are pyright's. */
import { defineAdapter } from "./adapter.ts";
import { pyright } from "./pyright.ts";

export const basedpyright = defineAdapter({
  ...pyright,
  name: "basedpyright",
  command: ["basedpyright-langserver", "--stdio"],
  install: "pip install basedpyright",
});
