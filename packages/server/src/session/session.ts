// Declares state that lives from call to call, for `ctx.session`.
import { checkOptions, isJsonObject, type KnownOptions, nameOf } from "@lethe/protocol";
import { defining, placeOf } from "../features/defining.ts";
import type { Check } from "../features/json-check.ts";
import { compileSchema, type InputOf, type OutputOf, type Schema } from "../features/schema.ts";

/** Options of `session`. */
export interface SessionOptions<S extends Schema> {
  /** The schema of the state, which must be JSON. Its input is stored, and its output is what a handler reads. */
  schema: S;
  /** The state of a new session. */
  initial: InputOf<S>;
  /**
   * What tells sessions apart. "handle": a handle that the model passes from call to call, so one caller may have several sessions.
   * "caller": the authenticated caller; needs the server options `auth` and `sessionStore`. Default "handle".
   */
  by?: "handle" | "caller";
  /** How long a session lives after its last change, in ms. Default 3,600,000 (1 hour). */
  ttlMs?: number;
  /** Size of the state as JSON, in bytes. Default 2 KiB without a store, because the handle contains the state, and 64 KiB with one. */
  maxBytes?: number;
}

const knownSessionOptions: KnownOptions<SessionOptions<Schema>> = {
  schema: "a value",
  initial: "a value",
  by: true,
  ttlMs: true,
  maxBytes: true,
};

/** A declared session. `State` is what a handler reads, and `Stored` what it writes. */
export interface SessionDefinition<State = unknown, Stored = unknown> {
  readonly name: string;
  /** The argument by which the model passes the handle. Undefined for a session by caller. */
  readonly handleName: string | undefined;
  readonly initial: Stored;
  readonly ttlMs: number;
  readonly maxBytes: number | undefined;
  readonly check: Check;
  /** Exists only for the compiler. */
  readonly state?: State;
}

/** Throws an Error for what is not the result of `session`, such as its name. */
export function requireSession(place: string, given: unknown): void {
  if (isJsonObject(given) && typeof given.check === "function") return;
  throw new Error(
    `${place}: sessions: a session expected, such as the result of session("cart", { … }), got ${nameOf(given)}`,
  );
}

const legalName = /^[a-z][a-z0-9_]{0,31}$/;

/**
 * Declares a session: typed state that a handler reads and changes with `ctx.session`, and that the next call finds, in whichever process
 * it runs. List the session in `sessions` of each tool that uses it. Throws an Error that names an invalid option.
 *
 * Without a store the state is sealed inside the handle. An old handle then leads to the state of its time, so keep what must not be
 * rolled back, such as a balance, in a store.
 *
 * @example
 * import { createServer, session } from "@lethe/server";
 * import { z } from "zod";
 *
 * const cart = session("cart", { schema: z.object({ items: z.array(z.string()) }), initial: { items: [] } });
 *
 * const server = createServer({ name: "shop", version: "1.0.0" });
 * server.tool("add_item", {
 *   inputSchema: z.object({ item: z.string() }),
 *   sessions: [cart],
 *   async handler({ item }, ctx) {
 *     const { items } = await (await ctx.session(cart)).update((current) => ({ items: [...current.items, item] }));
 *     return `The cart contains ${items.join(", ")}.`;
 *   },
 * });
 */
export function session<const S extends Schema>(
  name: string,
  options: SessionOptions<S>,
): SessionDefinition<OutputOf<S>, InputOf<S>> {
  const place = placeOf("session", name);
  checkOptions(place, options, knownSessionOptions);
  const { schema, initial, by = "handle", ttlMs = 3_600_000, maxBytes } = options;
  if (!legalName.test(name)) throw new Error(`${place}: a name of 1 to 32 of a-z 0-9 _ expected, a letter first`);
  if (by !== "handle" && by !== "caller") {
    throw new Error(`${place}: by: "handle" or "caller" expected, got ${JSON.stringify(by)}`);
  }
  for (const [option, value] of [
    ["ttlMs", ttlMs],
    ["maxBytes", maxBytes],
  ] as const) {
    if (value !== undefined && !(Number.isFinite(value) && value > 0)) {
      throw new Error(`${place}: ${option}: a number above 0 expected, got ${value}`);
    }
  }
  const { check } = defining(`${place}: schema`, () => compileSchema(schema, { direction: "input" }));
  return { name, handleName: by === "handle" ? `${name}_handle` : undefined, initial, ttlMs, maxBytes, check };
}
