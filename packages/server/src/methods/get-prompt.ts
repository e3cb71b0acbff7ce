// prompts/get (E-82), with the checks of B-35 from step 12 on.
import { invalidParams, parseGetPromptParams } from "@lethe/protocol";
import type { Method } from "./method.ts";
import { RequestContext } from "./request-context.ts";
import { requireAccess } from "./require-access.ts";
import { runRound } from "./run-round.ts";

export const getPrompt: Method = {
  async answer(parts, request, exchange) {
    const { name, arguments: given = {} } = parseGetPromptParams(request.params);
    const definition = parts.registry.prompts.get(name, exchange.caller);
    if (definition === undefined) throw invalidParams(`unknown prompt: ${JSON.stringify(name)}`);
    requireAccess(definition.feature, request, exchange);
    const args = await definition.validateInput(given);
    const ctx = new RequestContext(parts, request, exchange, definition.feature);
    return runRound(ctx, () => definition.run(args, ctx));
  },
};
