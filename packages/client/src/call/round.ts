// One caller's wait for one result on a message wire: how it ends, and which notifications it receives.
import {
  clientCapabilitiesOf,
  type Exchange,
  isAtLeast,
  isLogLevel,
  type JsonObject,
  type JsonRpcNotification,
  type LogLevel,
  type LogMessage,
  type ModernRequest,
  metaKey,
  method,
  notificationMethod,
  type Progress,
  type ProgressToken,
  type Result,
  toLogNotification,
  toProgress,
} from "@lethe/protocol";
import type { Deadline } from "./deadline.ts";
import type { OpenRequests } from "./open-requests.ts";
import type { TransportError } from "./transport-error.ts";

export interface Round {
  readonly result: Promise<Result>;
  readonly exchange: Exchange;
  readonly deadline: Deadline;
  /** The caller's own progress token, which is never sent to the peer. */
  readonly progressToken: ProgressToken | undefined;
  readonly logLevel: LogLevel | undefined;
  /** Whether it may get notifications of extensions: its caller declares some, and it is no subscription. */
  readonly hasExtensions: boolean;
  /** Settles `result`. */
  end(outcome: Result | Error): void;
  lastProgress: number;
  /** True while the caller reads more slowly than the peer writes. */
  isHeld: boolean;
  held: JsonRpcNotification | undefined;
}

/**
 * `onCancel` runs when the caller cancels or the time is over, with the reason for the peer. `result` is rejected by
 * then. Throws TransportError if the caller has cancelled already.
 */
export function openRound(
  open: OpenRequests,
  request: ModernRequest,
  exchange: Exchange,
  onCancel: (reason: string) => void,
): Round {
  const { progressToken, [metaKey.logLevel]: logLevel } = request.params._meta;
  const deadline = open.begin(request, exchange);
  if (deadline.aborted) {
    open.end(deadline);
    throw deadline.reason;
  }
  let settle: Round["end"] = () => {};
  const result = new Promise<Result>((resolve, reject) => {
    settle = (outcome) => {
      open.end(deadline);
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    };
  });
  deadline.addEventListener("abort", () => {
    const reason = deadline.reason as TransportError;
    settle(reason);
    onCancel(reason.reason === "timeout" ? "no answer in time" : "cancelled by the caller");
  });
  return {
    result,
    exchange,
    deadline,
    progressToken,
    logLevel: isLogLevel(logLevel) ? logLevel : undefined,
    hasExtensions: request.method !== method.listen && clientCapabilitiesOf(request).extensions !== undefined,
    end: settle,
    lastProgress: Number.NEGATIVE_INFINITY,
    isHeld: false,
    held: undefined,
  };
}

/** Reports progress under the caller's own token, and only if it increased. Any progress counts as activity. */
export function relayProgress(round: Round, { progress, total, message }: JsonObject): void {
  round.deadline.touch();
  if (round.progressToken === undefined || typeof progress !== "number" || progress <= round.lastProgress) return;
  round.lastProgress = progress;
  const step: Progress = { progress };
  if (typeof total === "number") step.total = total;
  if (typeof message === "string") step.message = message;
  relay(round, toProgress(round.progressToken, step), true);
}

/**
 * Delivers a log message to every round that asked for its level: a shared stream does not show which request a
 * message belongs to. If the waiting requests may belong to different users, no round gets it. Returns whether a
 * round got it.
 */
export function relayLog(rounds: readonly Round[], { level, logger, data }: JsonObject): boolean {
  if (!isLogLevel(level) || !areOneConversation(rounds)) return false;
  const message: LogMessage = typeof logger === "string" ? { level, logger, data } : { level, data };
  let notification: JsonRpcNotification | undefined;
  for (const round of rounds) {
    if (!round.logLevel || !isAtLeast(level, round.logLevel)) continue;
    notification ??= toLogNotification(message);
    relay(round, notification, false);
  }
  return notification !== undefined;
}

/**
 * Delivers a notification that no revision defines once, to the first of the open requests that could be meant. Call it with requests of one
 * user. Returns whether there was one.
 */
export function relayUnknown(rounds: readonly Round[], notification: JsonRpcNotification): boolean {
  const isUnknown = !coreNotifications.has(notification.method);
  const round = isUnknown ? rounds.find(({ hasExtensions }) => hasExtensions) : undefined;
  if (round) relay(round, notification, false);
  return round !== undefined;
}

/** A log message, or a notification of an extension, which names no request. Returns whether a request got it. */
export function relayOther(
  rounds: readonly Round[],
  notification: JsonRpcNotification,
  isOneConversation: boolean,
): boolean {
  const { method: told, params = {} } = notification;
  if (told === notificationMethod.message) return relayLog(rounds, params);
  return isOneConversation && relayUnknown(rounds, notification);
}

const coreNotifications: ReadonlySet<string> = new Set(Object.values(notificationMethod));

/** A slow reader gets only the latest progress, and no log messages. */
function relay(round: Round, notification: JsonRpcNotification, isProgress: boolean): void {
  if (round.isHeld) {
    if (isProgress) round.held = notification;
    return;
  }
  if (round.exchange.notify(notification)) return;
  round.isHeld = true;
  void round.exchange.drained().then(() => {
    round.isHeld = false;
    const { held } = round;
    round.held = undefined;
    if (held) relay(round, held, true);
  });
}

function areOneConversation(rounds: readonly Round[]): boolean {
  const conversation = rounds[0]?.exchange.conversation;
  if (rounds.length < 2) return true;
  return conversation !== undefined && rounds.every(({ exchange }) => exchange.conversation === conversation);
}
