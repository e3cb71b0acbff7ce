// Keeps one `subscriptions/listen` of the gateway open at an upstream, and opens it again with back-off when it breaks off.
import { isTransportError } from "@lethe/client";
import { isUnsent } from "@lethe/client/edge";
import {
  type Caller,
  type ClientCapabilities,
  type Dispatch,
  type JsonRpcNotification,
  type ListenFilter,
  type ModernRequest,
  metaKey,
  method,
  notificationMethod,
} from "@lethe/protocol";
import { isNotStarted } from "../calls/request-hold.ts";
import { sessionMetaKey } from "../calls/session-argument.ts";
import { type DeclaredExtensions, noExtensions } from "../extensions/declared-extensions.ts";
import { createOwnExchange, toOwnRequest } from "../upstreams/connection/own-request.ts";
import { pause } from "../upstreams/connection/pause.ts";
import { notStarted, throwReplicaFailure } from "../upstreams/connection/upstream-error.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";

export interface SubscriptionScope {
  readonly sessions: UpstreamSessions;
  readonly callerId: string | undefined;
  /** The session handle, where sessions have one. */
  readonly handle: string | undefined;
  /** The extensions that the caller declares. Default: none. */
  readonly declared?: DeclaredExtensions;
  /** Another replica takes this one for the owner of the session. Default: false. */
  readonly isForwarded?: boolean | undefined;
}

export interface StandingListenOptions {
  readonly dispatch: Dispatch;
  readonly caller: Caller | undefined;
  /** Default: the capabilities of the gateway itself. */
  readonly capabilities?: ClientCapabilities;
  readonly signal: AbortSignal;
  /** The filter of the next attempt. */
  wanted(): ListenFilter;
  /** Returns whether the upstream granted anything. */
  onAcknowledged(granted: ListenFilter): boolean;
  onNotification(notification: JsonRpcNotification): void;
}

/** An upstream that does not acknowledge in this time, in ms, counts as refusing. */
const ackMs = 5_000;
/** The pause before the first attempt is repeated, in ms. */
const retryPauseMs = 250;
const firstDelayMs = 1_000;
const longestDelayMs = 30_000;

/**
 * Calls `onRefused` when the first attempt grants nothing, or not in time. While an upstream or a replica cannot be reached for
 * a moment, the first attempt is repeated.
 */
export async function keepListening(options: StandingListenOptions, onRefused: () => void): Promise<void> {
  const { signal } = options;
  const endsAt = Date.now() + ackMs;
  const late = setTimeout(onRefused, ackMs);
  let hasGrant = false;
  for (let delayMs = firstDelayMs; !signal.aborted; ) {
    const wasGranted = hasGrant;
    const { isGranted, failure } = await listenOnce(options);
    if (!hasGrant && !isGranted && mayRepeat(failure) && Date.now() + retryPauseMs < endsAt) {
      await pause(retryPauseMs, signal);
      continue;
    }
    clearTimeout(late);
    hasGrant ||= isGranted;
    // A refusal of the first attempt is final. After a grant it is worth trying again.
    if (!hasGrant) return onRefused();
    delayMs = isGranted || !wasGranted ? firstDelayMs : Math.min(longestDelayMs, delayMs * 2);
    await pause(delayMs, signal);
  }
  clearTimeout(late);
}

function mayRepeat(failure: unknown): boolean {
  return isNotStarted(failure) || (isTransportError(failure) && isUnsent(failure));
}

/** Sends over the caller's session, which stays open meanwhile. */
export function inSessionOf({ sessions, callerId, isForwarded, ...scope }: SubscriptionScope): Dispatch {
  const { handle, declared = noExtensions } = scope;
  return async (request, exchange) => {
    const session = await sessions.sessionFor(callerId, { handle, declared, isForwarded });
    if ("replica" in session) {
      const peer = await sessions.reach(session);
      if (!peer)
        throw notStarted(sessions.name, "unavailable", "has its session at a replica of the gateway that is gone");
      return peer(withScope(request, { handle, declared }), exchange).catch((error) =>
        throwReplicaFailure(sessions.name, error),
      );
    }
    sessions.enter(session);
    try {
      return await sessions.run(session, request, exchange);
    } finally {
      sessions.leave(session);
    }
  };
}

/** The owner handles it like any other request, so it must name the session. */
function withScope(
  request: ModernRequest,
  { handle, declared }: { handle: string | undefined; declared: DeclaredExtensions },
): ModernRequest {
  if (handle === undefined && declared === noExtensions) return request;
  const { params } = request;
  const _meta = { ...params._meta };
  if (handle !== undefined) _meta[sessionMetaKey] = handle;
  _meta[metaKey.clientCapabilities] = { ..._meta[metaKey.clientCapabilities], ...declared.capabilities };
  return { ...request, params: { ...params, _meta } };
}

/** Resolves when the stream ends or fails. `isGranted`: the upstream granted anything. */
async function listenOnce(options: StandingListenOptions): Promise<{ isGranted: boolean; failure?: unknown }> {
  const { dispatch, caller, capabilities, signal } = options;
  let isGranted = false;
  const exchange = createOwnExchange({
    signal,
    caller,
    onNotification(notification) {
      if (notification.method !== notificationMethod.acknowledged) return options.onNotification(notification);
      isGranted = options.onAcknowledged((notification.params?.notifications ?? {}) as ListenFilter);
    },
  });
  try {
    await dispatch(toOwnRequest(method.listen, { notifications: options.wanted() }, capabilities), exchange);
  } catch (failure) {
    // The stream is opened again after any error.
    return { isGranted, failure };
  }
  return { isGranted };
}
