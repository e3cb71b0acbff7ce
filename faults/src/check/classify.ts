// What a reply tells its caller about the call.
import type { RawReply } from "../load/raw-client.ts";
import type { Outcome } from "./records.ts";

export interface Classified {
  readonly outcome: Outcome;
  readonly reason?: string;
  readonly status?: number;
  readonly hasRetryAfter?: boolean;
}

const notStarted: ReadonlySet<unknown> = new Set(["unavailable", "busy"]);
/** Typed errors that say that the state of a session or a pending call is gone, and that the request has not started. */
const stateGone: ReadonlySet<unknown> = new Set(["session_lost", "session_gone"]);
const mayHaveRun: ReadonlySet<unknown> = new Set(["lost", "timeout", "call_gone", "task_lost"]);

/** The gateway refuses a question that may belong to another call, for example to one that was cancelled. The tool then fails. */
const refusedQuestion = "is refused: calls of several callers are in progress";

export function classify(reply: RawReply): Classified {
  const { error, broken, status, hasRetryAfter } = reply;
  const seen = { ...(status === undefined ? {} : { status }), hasRetryAfter };
  if (error === undefined && broken === undefined) return { outcome: "ok", ...seen };
  if (error === undefined) return { outcome: "untyped", reason: broken ?? "", ...seen };
  const reason = error.data?.reason;
  // 503 with Retry-After is the HTTP form of "not started".
  if (reason === undefined && status === 503 && hasRetryAfter)
    return { outcome: "unavailable", reason: "503", ...seen };
  if (error.message.includes(refusedQuestion)) return { outcome: "lost", reason: "question refused", ...seen };
  if (typeof reason !== "string") return { outcome: "untyped", reason: `${error.code} ${error.message}`, ...seen };
  return { outcome: toOutcome(reason), reason, ...seen };
}

function toOutcome(reason: string): Outcome {
  if (notStarted.has(reason)) return "unavailable";
  if (stateGone.has(reason)) return "told";
  return mayHaveRun.has(reason) ? "lost" : "untyped";
}
