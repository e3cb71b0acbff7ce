// A request over HTTP for which a handler waits.
import type { KnownOptions } from "@lethe/protocol";
import type { Duration } from "./duration.ts";
import type { OutputOf, Schema } from "./schema.ts";

/** Options of `ctx.callback`. */
export interface CallbackOptions<S extends Schema> {
  /**
   * The schema of the body, of at most 16 KiB as JSON Schema. A request that violates it gets 400, and the callback stays open. What JSON
   * Schema cannot express, such as a refinement, is checked by `received()`. Default: any JSON.
   */
  schema?: S;
  /** How long the handler waits after `received()`. Default "1 day". Counts as sleep for `tasks.maxSleepMs`. */
  timeout?: Duration;
}

export const knownCallbackOptions: KnownOptions<CallbackOptions<Schema>> = { schema: true, timeout: true };

/** What `ctx.callback` returns. */
export interface Callback<Body = unknown> {
  /** A POST of JSON to this URL completes the callback, once. It needs no other credentials, so keep it as secret as a password. */
  readonly url: string;
  /**
   * Resolves with the body of the request. Meanwhile the task is a record in the store, without a process. Rejects with a ToolError if no
   * request comes in time, or if its body violates a part of the schema that JSON Schema cannot express.
   */
  received(): Promise<Body>;
}

/** The type of the body: what the schema returns, or unknown without one. */
export type CallbackBody<S extends Schema | undefined> = S extends Schema ? OutputOf<S> : unknown;
