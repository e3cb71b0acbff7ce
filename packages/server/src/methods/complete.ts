// completion/complete (E-60): candidates for an argument of a prompt or a variable of a resource template.
import {
  type Caller,
  type CompleteParams,
  type CompleteResult,
  type CompletionReference,
  type Exchange,
  invalidParams,
  type ModernRequest,
  parseCompleteParams,
  type Result,
  resourceNotFound,
} from "@lethe/protocol";
import { type Completer, type CompletionContext, toCompleteResult } from "../features/completion.ts";
import type { Feature } from "../features/feature.ts";
import type { Forward } from "../features/forward.ts";
import { findTemplate, type Registry } from "../features/registry.ts";
import { sendForward } from "./forward-request.ts";
import type { Method } from "./method.ts";
import { requireAccess } from "./require-access.ts";
import type { ServerParts } from "./server-parts.ts";

export const complete: Method = {
  async answer(parts, request, exchange) {
    const params = parseCompleteParams(request.params);
    const target = targetOf(parts.registry, params.ref, exchange.caller);
    requireAccess(target.feature, request, exchange);
    const { name, value } = params.argument;
    const { forward } = target;
    if (forward) return forwardCompletion(parts, forward, request, exchange);
    if (!target.names.includes(name)) throw invalidParams(`unknown argument: ${JSON.stringify(name)}`);
    const completer = target.completers.get(name);
    return toCompleteResult(completer ? await completer(value, toCompletionContext(params, exchange)) : []);
  },
};

interface Target {
  feature: Feature;
  forward: Forward | undefined;
  names: readonly string[];
  completers: ReadonlyMap<string, Completer>;
}

function targetOf(registry: Registry, ref: CompletionReference, caller: Caller | undefined): Target {
  if (ref.type === "ref/prompt") {
    const definition = registry.prompts.get(ref.name, caller);
    if (definition === undefined) throw invalidParams(`unknown prompt: ${JSON.stringify(ref.name)}`);
    const names = definition.prompt.arguments?.map((argument) => argument.name) ?? [];
    const { feature, forward, completers } = definition;
    return { feature, forward, names, completers };
  }
  // The reference may be the template itself or a URI of it.
  const definition =
    registry.resourceTemplates.get(ref.uri, caller) ?? findTemplate(registry, ref.uri, caller)?.definition;
  if (definition === undefined) throw resourceNotFound(ref.uri);
  const { feature, forward, uriTemplate, completers } = definition;
  return { feature, forward, names: uriTemplate.variables, completers };
}

/** A server without completions has no candidates. */
function forwardCompletion(
  parts: ServerParts,
  forward: Forward,
  request: ModernRequest,
  exchange: Exchange,
): CompleteResult | Promise<Result> {
  if (!forward.completes) return toCompleteResult([]);
  const ref = request.params.ref as CompletionReference;
  const own = ref.type === "ref/prompt" ? { ...ref, name: forward.ownName } : ref;
  return sendForward(parts, forward, { ...request, params: { ...request.params, ref: own } }, exchange);
}

function toCompletionContext({ context }: CompleteParams, exchange: Exchange): CompletionContext {
  return {
    arguments: context?.arguments ?? {},
    caller: exchange.caller,
    get signal() {
      return exchange.signal;
    },
  };
}
