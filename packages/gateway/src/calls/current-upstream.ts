// Moves a request that waits for its upstream to start when the upstream is reconfigured meanwhile. The request has not been
// sent, so it goes to the sessions of the active configuration.
import { isJsonObject, isMcpError } from "@lethe/protocol";
import { withTimeout } from "../upstreams/connection/with-timeout.ts";
import { sameEra } from "../upstreams/sessions/era-choice.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";
import type { ForwardedCall } from "./forwarded-call.ts";

/** The sessions of an upstream in the active configuration. */
export type CurrentOf = (upstream: string) => UpstreamSessions | undefined;

/**
 * The call that could not start because of `error`, for the sessions of the active configuration. Undefined when these are the
 * same sessions, or when they offer other tools: the earlier configuration decided what the caller may use.
 */
export function successorOf(call: ForwardedCall, error: unknown, currentOf: CurrentOf): ForwardedCall | undefined {
  const { target } = call;
  const now = isUnavailable(error) ? currentOf(target.sessions.name) : undefined;
  const next = now && sameEra(now, target.sessions);
  if (!next || next === target.sessions || !isSameOffer(next, target.sessions)) return undefined;
  return { ...call, target: { ...target, sessions: next } };
}

/** Waits until the upstream is ready. `deadline` is in ms since 1970 and includes every move. Rejects with McpError. */
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
  const offerOf = ({ tools, prompts, resources, extensions, laterRevisions }: UpstreamSessions["config"]) =>
    JSON.stringify([tools, prompts, resources, extensions, laterRevisions]);
  return offerOf(one) === offerOf(other);
}
