// A request that waits for its upstream to start, while that is configured anew: it has not begun, and goes to what serves the
// upstream now.
import { isJsonObject, isMcpError } from "@lethe/protocol";
import { withTimeout } from "../upstreams/connection/with-timeout.ts";
import { sameEra } from "../upstreams/sessions/era-choice.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";
import type { ForwardedCall } from "./forwarded-call.ts";

/** What serves an upstream under the configuration in force. */
export type CurrentOf = (upstream: string) => UpstreamSessions | undefined;

/**
 * The call that could not begin because of `error`, as it is to be made now. Undefined where nothing else serves its upstream,
 * or other things are offered there: what may be asked for was decided by the configuration before.
 */
export function successorOf(call: ForwardedCall, error: unknown, currentOf: CurrentOf): ForwardedCall | undefined {
  const { target } = call;
  const now = isUnavailable(error) ? currentOf(target.sessions.name) : undefined;
  const next = now && sameEra(now, target.sessions);
  if (!next || next === target.sessions || !isSameOffer(next, target.sessions)) return undefined;
  return { ...call, target: { ...target, sessions: next } };
}

/** `deadline` is in ms since 1970, for all who follow each other. Rejects with McpError. */
export async function untilReady(
  call: ForwardedCall,
  options: { currentOf: CurrentOf; deadline: number },
): Promise<ForwardedCall> {
  const { sessions } = call.target;
  try {
    await withTimeout(options.deadline - Date.now(), sessions.affinityKnown(), () => sessions.upstream.unavailable());
    return call;
  } catch (error) {
    const next = successorOf(call, error, options.currentOf);
    if (!next) throw error;
    return untilReady(next, options);
  }
}

function isUnavailable(error: unknown): boolean {
  return isMcpError(error) && isJsonObject(error.data) && error.data.reason === "unavailable";
}

function isSameOffer({ config: one }: UpstreamSessions, { config: other }: UpstreamSessions): boolean {
  const offerOf = ({ tools, prompts, resources }: UpstreamSessions["config"]) =>
    JSON.stringify([tools, prompts, resources]);
  return offerOf(one) === offerOf(other);
}
