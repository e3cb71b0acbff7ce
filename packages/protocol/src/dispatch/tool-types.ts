// What the compiler knows of the tools of a server, handed from whoever defines them to whoever calls them (E-68). Only
// types: nothing of it is there at run time, so a client of a URL can be told what it calls as well.
declare const known: unique symbol;

/** One tool: what it takes, and its structured content. Each is `unknown` when no schema with types says so. */
export interface ToolType {
  readonly input: unknown;
  readonly output: unknown;
}

/** Extended by whatever has tools that the compiler knows by name. */
export interface HasToolTypes<Tools> {
  readonly [known]?: Tools;
}

/** The tools of `T` by name; `unknown` for what says nothing of them. */
export type ToolTypesOf<T> = T extends { readonly [known]?: infer Tools } ? Tools : unknown;
