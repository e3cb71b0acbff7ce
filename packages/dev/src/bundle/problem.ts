// An error with its place in the author's code.

export interface Place {
  /** An absolute path. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** Characters to underline. */
  readonly length?: number;
  readonly lineText: string;
}

export interface Problem {
  readonly text: string;
  readonly place?: Place | undefined;
  /** The calls that led to it, in the author's files: "at greet (src/server.ts:12:9)". */
  readonly trace?: readonly string[] | undefined;
}
