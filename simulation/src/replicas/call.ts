// The requests of callers in a simulation, and how they travel as messages of the protocol.
import { isJsonObject, type ModernRequest, metaKey, type Result } from "@lethe/protocol";

export interface Call {
  /** Unique in the schedule. A retry of a call that has not started has the same id. */
  readonly id: string;
  readonly caller: string;
  readonly session: string;
  /** "count" changes the session at once, "wait" after `waitMs`, "ask" asks its caller first, "answer" answers that. */
  readonly kind: "count" | "wait" | "ask" | "answer";
  readonly waitMs: number;
  /** The call that asked. */
  readonly asked?: string;
}

/** What the upstream answered. */
export interface CallResult {
  readonly id: string;
  readonly caller: string;
  readonly session: string;
  readonly outcome: "done" | "asks" | "gone";
  /** The number of the call in its session. */
  readonly count: number;
}

const meta = { [metaKey.protocolVersion]: "2026-07-28", [metaKey.clientCapabilities]: {} };

export function toRequest(call: Call): ModernRequest {
  const params = { name: "count", arguments: { ...call }, _meta: meta } as ModernRequest["params"];
  return { id: call.id, method: "tools/call", params };
}

export function toCall({ params }: ModernRequest): Call {
  return (params as unknown as { arguments: Call }).arguments;
}

export function toResult(answer: CallResult): Result {
  return { resultType: "complete", content: [], structuredContent: { ...answer } } as unknown as Result;
}

export function fromResult(result: Result): CallResult {
  const { structuredContent } = result as { structuredContent?: unknown };
  if (!isJsonObject(structuredContent)) throw new Error("a result without content");
  return structuredContent as unknown as CallResult;
}
