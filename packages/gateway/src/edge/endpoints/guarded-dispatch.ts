// An endpoint behind policies: its Dispatch asks each of them before it answers.
import { type Dispatch, withMiddleware } from "@lethe/protocol";
import { createGuard } from "../policy/guard.ts";
import type { Policy } from "../policy/policy.ts";
import { createLocate, type EdgeEndpoint, ownerOfMethod } from "./edge-endpoint.ts";

/**
 * With a policy, a request waits before the guard, because the guard locates names by the lists of the upstreams. `successorOf` returns
 * the guarded Dispatch of an endpoint that replaced this one meanwhile.
 */
export function createGuardedDispatch(
  endpoint: EdgeEndpoint,
  policy: Policy | undefined,
  successorOf: () => Dispatch | undefined,
): Dispatch {
  const { servable, upstream, answer = servable.dispatch, untilKnown } = endpoint;
  const policies = [policy, endpoint.policy].filter((rules) => rules !== undefined);
  if (policies.length === 0) return servable.dispatch;
  const guards = policies.map((rules) =>
    createGuard({
      policy: rules,
      locateFor: (request, caller) => createLocate(endpoint, request, caller),
      ownerOf: (request, caller) => ownerOfMethod(endpoint, request, caller),
      ...(upstream && { upstream }),
    }),
  );
  const guarded = withMiddleware(answer, guards);
  return (request, exchange) => {
    const waiting = untilKnown?.(request, exchange);
    if (!waiting) return guarded(request, exchange);
    return waiting.then(() => (successorOf() ?? guarded)(request, exchange));
  };
}
