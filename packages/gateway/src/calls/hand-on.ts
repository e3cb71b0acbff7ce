// Hands a request without a session to a replica that has more room for one. That replica opens the session, and hands nothing on itself.
import type { Result } from "@lethe/protocol";
import type { HandOver } from "../upstreams/directory/room-exchange.ts";
import type { ForwardToOwner } from "./forward-to-owner.ts";
import type { ForwardedCall } from "./forwarded-call.ts";
import { isNotStarted } from "./request-hold.ts";

/**
 * Returns undefined if the request has not started there: the replica is gone, or has no room. Rejects if it failed there, or may have run.
 */
export async function handOn(
  call: ForwardedCall,
  handOver: HandOver,
  forwardToOwner: ForwardToOwner,
): Promise<{ readonly result: Result } | undefined> {
  const handed = { ...call, request: { ...call.request, isHandedOn: true } };
  try {
    const forwarded = await forwardToOwner(handed, handOver);
    if ("result" in forwarded) {
      handOver.accepted();
      return forwarded;
    }
  } catch (error) {
    if (!isNotStarted(error)) {
      handOver.accepted();
      throw error;
    }
  }
  handOver.refused();
  return undefined;
}
