// Whether a policy lets a caller use what the Dispatch alone knows: the owner of a URI that several upstreams have, the tool of a task.
import { type Caller, method } from "@lethe/protocol";
import type { Policy, Target } from "./policy.ts";

export interface Permissions {
  /** Whether callers may do less than upstreams offer. */
  isRestricted(): boolean;
  /** Whether a caller may read a URI of an upstream. */
  mayRead(caller: Caller | undefined, upstream: string, uri: string): boolean;
  /** Whether a caller may call a tool of an upstream, and so access its tasks. */
  mayCall(caller: Caller | undefined, upstream: string, tool: string): boolean;
}

/** The permissions of the policy that applies now, if there is one, and `further` ones. A caller needs both. */
export function createPermissions(
  policyOf: () => Policy | undefined,
  further: Partial<Pick<Permissions, "mayRead" | "mayCall">>,
): Permissions {
  const allows = (caller: Caller | undefined, target: Target): boolean => {
    const policy = policyOf();
    return policy === undefined || policy.profileOf(caller).decide(target) === "allow";
  };
  return {
    isRestricted: () => policyOf() !== undefined || further.mayRead !== undefined || further.mayCall !== undefined,
    mayRead(caller, upstream, uri) {
      const target: Target = { method: method.readResource, upstream, kind: "resource", name: uri };
      return allows(caller, target) && (further.mayRead?.(caller, upstream, uri) ?? true);
    },
    mayCall(caller, upstream, tool) {
      const target: Target = { method: method.callTool, upstream, kind: "tool", name: tool };
      return allows(caller, target) && (further.mayCall?.(caller, upstream, tool) ?? true);
    },
  };
}
