// prompts/get (E-82), with the checks of B-35 from step 12 on.
import { parseGetPromptParams } from "@lethe/protocol";
import { unknownFeature } from "../features/registry.ts";
import { forwardRequest } from "./forward-request.ts";
import type { Method } from "./method.ts";
import { RequestContext } from "./request-context.ts";
import { requireAccess } from "./require-access.ts";
import { runRound } from "./run-round.ts";

export const getPrompt: Method = {
  async answer(parts, request, exchange) {
    const { name, arguments: given = {} } = parseGetPromptParams(request.params);
    const definition = parts.registry.prompts.get(name, exchange.caller);
    if (definition === undefined) throw unknownFeature(parts.registry, "prompt", name);
    const { feature, forward } = definition;
    requireAccess(feature, request, exchange);
    if (forward) return forwardRequest(parts, { feature, forward }, request, exchange);
    const args = await definition.validateInput(given);
    const ctx = new RequestContext(parts, request, exchange, feature);
    return runRound(ctx, () => definition.run(args, ctx));
  },
};
