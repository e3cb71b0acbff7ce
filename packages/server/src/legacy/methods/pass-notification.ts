// Passes a notification of an extension on to the Dispatch of a proxy.
import type { JsonRpcNotification } from "@lethe/protocol";
import { isExtensionNotification } from "@lethe/protocol/revisions";
import { type MessageSink, RunningCall } from "../calls/running-call.ts";
import type { LegacySession } from "../sessions/session.ts";
import { randomId } from "../sessions/session-facts.ts";
import type { ClientMessage } from "../shared/client-message-relay.ts";
import type { LegacyContext, Peer } from "../shared/legacy-context.ts";
import { toModernRequest } from "./answer-request.ts";

/** Nothing answers a notification. */
const noSink: MessageSink = { canRequestInput: false, notify: () => true, send() {}, drained: () => Promise.resolve() };

export interface PassedNotifications {
  /** The messages that the edge handles by itself. */
  readonly others: readonly ClientMessage[];
  /** Resolves when the notifications were passed on or dropped. Never rejects, because nothing answers them. Undefined if there are none. */
  readonly passed: { readonly over: Promise<unknown> } | undefined;
}

/** Notifications count among the running requests of the session until they are passed on. */
export function passNotifications(
  messages: readonly ClientMessage[],
  session: LegacySession,
  peer: Peer,
  context: LegacyContext,
): PassedNotifications {
  if (!context.takesNotifications) return { others: messages, passed: undefined };
  const isPassed = (message: ClientMessage): message is JsonRpcNotification =>
    "method" in message && isExtensionNotification(message.method);
  const passing = messages.filter(isPassed).map((message) => pass(message, session, peer, context));
  const others = messages.filter((message) => !isPassed(message));
  return { others, passed: passing.length > 0 ? { over: Promise.all(passing) } : undefined };
}

async function pass(
  { method, params }: JsonRpcNotification,
  session: LegacySession,
  peer: Peer,
  context: LegacyContext,
): Promise<void> {
  const id = `notification ${randomId()}`;
  const call = new RunningCall(session.facts, noSink, peer);
  try {
    session.begin(id, call);
  } catch {
    // Too many requests of the session run.
    return;
  }
  try {
    const request = toModernRequest(
      { jsonrpc: "2.0", id, method, ...(params && { params }) },
      session,
      undefined,
      context,
    );
    await context.dispatch({ ...request, isNotification: true }, call);
  } catch {
    // The proxy reports it to its operator.
  } finally {
    session.finish(id, call);
  }
}
