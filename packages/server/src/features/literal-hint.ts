// Makes the compiler infer literal types and tuples for the value that a handler returns.

/** A value or its promise. A name of its own keeps compiler messages short. */
export type Awaitable<T> = T | Promise<T>;

/**
 * The compiler infers the return type of a handler before it knows the schema of the output. At that point the schema is any schema, and
 * its data `unknown`. The compiler then widens `"clear"` to `string`, unless the expected type contains literals. So `unknown` becomes a type
 * that accepts every value and contains literals at any depth. Known data stay as they are.
 */
export type HintUnknown<T> = unknown extends T ? NonNullable<unknown> | null | undefined | LiteralHint : T;

type LiteralHint =
  | ""
  | 0
  | true
  | [LiteralHint, ...LiteralHint[]]
  | []
  | { [member: string]: LiteralHint | null | undefined };
