// resources/read (E-78), with the checks of B-35 from step 12 on.
import { parseReadResourceParams, resourceNotFound } from "@lethe/protocol";
import { findTemplate } from "../features/registry.ts";
import { forwardRequest } from "./forward-request.ts";
import type { Method } from "./method.ts";
import { RequestContext } from "./request-context.ts";
import { requireAccess } from "./require-access.ts";
import { runRound } from "./run-round.ts";

export const readResource: Method = {
  async answer(parts, request, exchange) {
    const { uri } = parseReadResourceParams(request.params);
    const resource = parts.registry.resources.get(uri, exchange.caller);
    if (resource) {
      const { feature, forward } = resource;
      requireAccess(feature, request, exchange);
      if (forward) return forwardRequest(parts, { feature, forward }, request, exchange);
      const ctx = new RequestContext(parts, request, exchange, feature);
      return runRound(ctx, () => resource.read(uri, ctx));
    }
    const found = findTemplate(parts.registry, uri, exchange.caller);
    if (found === undefined) throw resourceNotFound(uri);
    const { definition, variables } = found;
    const { feature, forward } = definition;
    requireAccess(feature, request, exchange);
    if (forward) return forwardRequest(parts, { feature, forward }, request, exchange);
    const ctx = new RequestContext(parts, request, exchange, feature);
    return runRound(ctx, () => definition.read({ variables, uri }, ctx));
  },
};
