// The types of a server's tools, carried from its definition to its clients (E-68). They exist only at compile time, so a
// client of a URL can use them too.
declare const known: unique symbol;

/** The types of one tool: its arguments and its structured content. `unknown` without a typed schema. */
export interface ToolType {
  readonly input: unknown;
  readonly output: unknown;
}

/** A type that carries the types of its tools by name. */
export interface HasToolTypes<Tools> {
  readonly [known]?: Tools;
}

/** The types of the tools of `T` by name; `unknown` if `T` carries none. */
export type ToolTypesOf<T> = T extends { readonly [known]?: infer Tools } ? Tools : unknown;
