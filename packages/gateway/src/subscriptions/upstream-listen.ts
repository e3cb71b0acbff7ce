// One `subscriptions/listen` of the gateway's own, begun again when it breaks off (E-17), for as long as it is wanted.
import {
  type Caller,
  type ClientCapabilities,
  type Dispatch,
  type JsonRpcNotification,
  type ListenFilter,
  type ModernRequest,
  method,
  notificationMethod,
} from "@lethe/protocol";
import { sessionMetaKey } from "../calls/session-argument.ts";
import { createOwnExchange, toOwnRequest } from "../upstreams/connection/own-request.ts";
import { pause } from "../upstreams/connection/pause.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";

export interface SubscriptionScope {
  readonly sessions: UpstreamSessions;
  readonly callerId: string | undefined;
  /** Where sessions have names. */
  readonly handle: string | undefined;
}

export interface StandingListenOptions {
  readonly dispatch: Dispatch;
  readonly caller: Caller | undefined;
  /** Default: what the gateway declares for itself. */
  readonly capabilities?: ClientCapabilities;
  readonly signal: AbortSignal;
  /** What to ask for, each time anew. */
  wanted(): ListenFilter;
  /** Returns whether anything of it was granted. */
  onAcknowledged(granted: ListenFilter): boolean;
  onNotification(notification: JsonRpcNotification): void;
}

/** Who does not acknowledge in this time, in ms, is taken not to grant anything. */
const ackMs = 5_000;
const firstDelayMs = 1_000;
const longestDelayMs = 30_000;

/** `onRefused` is called when nothing was granted at the first try, or not in time. */
export async function keepListening(options: StandingListenOptions, onRefused: () => void): Promise<void> {
  const { signal } = options;
  const late = setTimeout(onRefused, ackMs);
  let hasGrant = false;
  for (let delayMs = firstDelayMs; !signal.aborted; ) {
    const wasGranted = hasGrant;
    const isGranted = await listenOnce(options);
    clearTimeout(late);
    hasGrant ||= isGranted;
    // Refused at the first try is refused; what was granted once is worth trying again.
    if (!hasGrant) return onRefused();
    delayMs = isGranted || !wasGranted ? firstDelayMs : Math.min(longestDelayMs, delayMs * 2);
    await pause(delayMs, signal);
  }
  clearTimeout(late);
}

/** Over the session that is the caller's, which stays open meanwhile. */
export function inSessionOf({ sessions, callerId, handle }: SubscriptionScope): Dispatch {
  return async (request, exchange) => {
    const session = await sessions.sessionFor(callerId, { handle });
    if ("replica" in session) {
      const peer = await sessions.reach(session.replica);
      if (!peer) throw new Error("another replica keeps the session, and is gone");
      return peer(withHandle(request, handle), exchange);
    }
    sessions.enter(session);
    try {
      return await sessions.run(session, request, exchange);
    } finally {
      sessions.leave(session);
    }
  };
}

/** There it is a request like any other: a session with a name has to be named. */
function withHandle(request: ModernRequest, handle: string | undefined): ModernRequest {
  if (handle === undefined) return request;
  const { params } = request;
  return { ...request, params: { ...params, _meta: { ...params._meta, [sessionMetaKey]: handle } } };
}

/** To the end of the stream, however it comes. True when anything was granted. */
async function listenOnce(options: StandingListenOptions): Promise<boolean> {
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
  } catch {
    // How it ended does not matter.
  }
  return isGranted;
}
