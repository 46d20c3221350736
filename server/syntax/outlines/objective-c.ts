/** Objective-C, on top of C. */
import type { Outlining } from "../outlining.ts";
import { c } from "./c.ts";

export const objectiveC: Outlining = {
  ...c,
  query: `
(class_interface . (identifier) @name) @class
(class_implementation . (identifier) @name) @class
(protocol_declaration . (identifier) @name) @interface
(method_declaration (identifier) @name) @method
(method_definition (identifier) @name) @method
${c.query}`,
  refine: (draft, name, top) => (own.test(name.parent?.type ?? "") ? draft : (c.refine?.(draft, name, top) ?? null)),
};

const own = /^(?:class|protocol|method|property)_/;
