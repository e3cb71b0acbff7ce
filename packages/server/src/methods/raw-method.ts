// A method of an author's own, or one of the core that an author answers himself: what extensions are made of.
import {
  clientCapabilitiesOf,
  isInputMethod,
  isJsonObject,
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

/** Gets the request as it was parsed, and returns the result as it goes out. Throw McpError for a protocol error. */
export type RawHandler = (
  request: ModernRequest,
  ctx: Context,
) => Result | InputRequired | Promise<Result | InputRequired>;

export interface RawMethodOptions {
  /** The method belongs to this extension: a client that did not declare it is refused with -32021. */
  extension?: string;
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
