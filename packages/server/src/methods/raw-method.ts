// A custom method, or a core method that an author replaces; the base of extensions.
import {
  checkOptions,
  clientCapabilitiesOf,
  isInputMethod,
  isJsonObject,
  type KnownOptions,
  type ModernRequest,
  nameOf,
  type Result,
} from "@lethe/protocol";
import type { Context } from "../features/context.ts";
import type { InputRequired } from "../features/input-required.ts";
import { checkNeeds } from "../interaction/needs.ts";
import type { Method } from "./method.ts";
import { RequestContext } from "./request-context.ts";
import { runRound } from "./run-round.ts";

/** Gets the parsed request and returns the result as sent. Throw McpError for a protocol error. */
export type RawHandler = (
  request: ModernRequest,
  ctx: Context,
) => Result | InputRequired | Promise<Result | InputRequired>;

export interface RawMethodOptions {
  /** The extension of the method: a client that did not declare it gets -32021. */
  extension?: string;
}

const knownRawMethodOptions: KnownOptions<RawMethodOptions> = { extension: true };

/** Throws an Error that names the method and what is wrong. */
export function checkRawMethod(name: string, handler: unknown, options: RawMethodOptions): void {
  const place = `method ${JSON.stringify(name)}`;
  checkOptions(place, options, knownRawMethodOptions);
  if (typeof handler !== "function")
    throw new Error(`${place}: a function expected as the second argument, got ${nameOf(handler)}`);
}

export function createRawMethod(handler: RawHandler, { extension }: RawMethodOptions): Method {
  const needs = extension === undefined ? undefined : { extensions: { [extension]: {} } };
  return {
    async answer(parts, request, exchange) {
      if (needs) checkNeeds(needs, clientCapabilitiesOf(request));
      const ctx = new RequestContext(parts, request, exchange, undefined);
      const result: unknown = await (isInputMethod(request.method)
        ? runRound(ctx, () => handler(request, ctx))
        : handler(request, ctx));
      if (isJsonObject(result) && typeof result.resultType === "string") return result as Result;
      throw new Error(`a handler must return an object with a resultType, got ${nameOf(result)}`);
    },
  };
}
