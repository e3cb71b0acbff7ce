// One caller's wait for one result on a message wire: how it ends, and what it hears until then.
import {
  type Exchange,
  isAtLeast,
  isLogLevel,
  type JsonObject,
  type JsonRpcNotification,
  type LogLevel,
  type LogMessage,
  type ModernRequest,
  metaKey,
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
  /** The caller's own token, which never goes out (J-55). */
  readonly progressToken: ProgressToken | undefined;
  readonly logLevel: LogLevel | undefined;
  /** Settles `result`. */
  end(outcome: Result | Error): void;
  lastProgress: number;
  /** The caller reads slower than the peer writes. */
  isHeld: boolean;
  held: JsonRpcNotification | undefined;
}

/**
 * `onCancel` runs when the caller goes away or the time is over, in words for the peer; the result is then rejected
 * already. Throws TransportError when the caller has gone already.
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
    end: settle,
    lastProgress: Number.NEGATIVE_INFINITY,
    isHeld: false,
    held: undefined,
  };
}

/** E-35: under the caller's own token, and only when it is more than before. Any progress is a sign of life (E-36). */
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
 * To every round that asked for messages of this level (E-40): on a shared stream nothing shows which request a message
 * belongs to (C-5). If several requests wait that may be of different users, it goes to none of them. Returns whether a
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

/** For a slow reader only the latest progress is kept, and no log message. */
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
