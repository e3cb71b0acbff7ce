// The methods that change the state of a session: logging/setLevel, resources/subscribe and resources/unsubscribe.
import { invalidParams, isLogLevel, logLevels, methodNotFound } from "@lethe/protocol";
import type { RunningCall } from "../calls/running-call.ts";
import { pause } from "../calls/timers.ts";
import { discover } from "../sessions/discover.ts";
import type { LegacySession } from "../sessions/session.ts";
import type { LegacyContext } from "../shared/legacy-context.ts";

/** How long the response to resources/subscribe waits for the core to confirm the subscription. */
const maxConfirmationMs = 5_000;
/** URIs that one session may subscribe to. */
const maxSubscriptions = 1_000;
/** The length of these URIs together: a session keeps them for as long as it lasts, and its stream keeps them again. */
const maxSubscribedLength = 262_144;

/** Throws McpError -32601 for a method whose capability the server lacks. */
export async function requireCapability(
  name: "logging" | "resources",
  method: string,
  call: RunningCall,
  session: LegacySession,
  context: LegacyContext,
): Promise<void> {
  const { capabilities } = await discover(session.facts, call, context);
  const isOffered =
    name === "logging" ? capabilities.logging !== undefined : capabilities.resources?.subscribe === true;
  if (!isOffered) throw methodNotFound(method);
}

export async function setLevel(logLevel: unknown, session: LegacySession, { settings }: LegacyContext): Promise<void> {
  if (!isLogLevel(logLevel)) throw invalidParams(`invalid params: "level" must be one of ${logLevels.join(", ")}`);
  await settings.store.update(session.facts.id, (state) => ({ ...state, logLevel }));
}

/**
 * Gives an announcement of changed roots an id, which the session's next requests carry. A count would not do: sessions that
 * share an upstream could reach the same one.
 */
export function noteRootsChange({ facts }: LegacySession, { settings }: LegacyContext): void {
  if (facts.isStateless || !facts.capabilities.roots) return;
  const update = async () =>
    settings.store.update(facts.id, (state) => ({ ...state, rootsVersion: crypto.randomUUID() }));
  update().catch(settings.onError);
}

export async function subscribe(
  uri: unknown,
  isSubscribed: boolean,
  session: LegacySession,
  { settings }: LegacyContext,
): Promise<void> {
  if (typeof uri !== "string") throw invalidParams('invalid params: "uri" must be a string');
  await settings.store.update(session.facts.id, (state) => {
    const others = (state.subscriptions ?? []).filter((known) => known !== uri);
    if (isSubscribed && others.length >= maxSubscriptions) {
      throw invalidParams(`invalid params: at most ${maxSubscriptions} subscriptions in one session`);
    }
    const length = others.reduce((sum, known) => sum + known.length, uri.length);
    if (isSubscribed && length > maxSubscribedLength) {
      throw invalidParams(
        `invalid params: at most ${maxSubscribedLength} characters of subscribed URIs in one session`,
      );
    }
    return { ...state, subscriptions: isSubscribed ? [...others, uri] : others };
  });
}

/** Waits until the change stream sends the new notifications, so that none is lost after the response. */
export async function awaitConfirmation(call: RunningCall, { changeStream }: LegacySession): Promise<void> {
  if (!changeStream?.whenStarted) return;
  const started = new Promise<void>((resolve) => changeStream.whenStarted?.(resolve));
  await Promise.race([started, pause(maxConfirmationMs, call)]);
}
