// One line of the log of calls: what was called, for how long, and how it ended.
import { clientInfoOf, isMcpError, type ModernRequest, type Result, targetNameOf } from "@lethe/protocol";

export interface CallReport {
  readonly method: string;
  /** The name of the tool or prompt, the URI of the resource, or the id of the task. */
  readonly target: string | undefined;
  readonly durationMs: number;
  readonly outcome: CallOutcome;
  /** The name and version of the client, if it says so. */
  readonly client: string | undefined;
  /** The client speaks a revision before 2026-07-28. */
  readonly isLegacy: boolean;
}

export type CallOutcome =
  | { readonly kind: "ok" | "input" | "task" | "cancelled" }
  /** `toolError`: the tool reported it. `error`: the request failed. */
  | { readonly kind: "toolError" | "error"; readonly text: string };

export function toCallReport(request: ModernRequest, durationMs: number, outcome: CallOutcome): CallReport {
  const info = clientInfoOf(request);
  return {
    method: request.method,
    target: targetNameOf(request.method, request.params),
    durationMs,
    outcome,
    client: info && `${info.name} ${info.version}`,
    isLegacy: request.prefersSession === true,
  };
}

export function outcomeOfResult(result: Result): CallOutcome {
  const { resultType, isError, content } = result as { resultType?: unknown; isError?: unknown; content?: unknown };
  if (resultType === "input_required") return { kind: "input" };
  if (resultType === "task") return { kind: "task" };
  if (isError === true) return { kind: "toolError", text: textOf(content) };
  return { kind: "ok" };
}

export function outcomeOfError(error: unknown, isAborted: boolean): CallOutcome {
  if (isAborted) return { kind: "cancelled" };
  if (!isMcpError(error)) return { kind: "error", text: error instanceof Error ? error.message : String(error) };
  return { kind: "error", text: `${error.code} ${error.message}` };
}

function textOf(content: unknown): string {
  const blocks = Array.isArray(content) ? (content as { text?: unknown }[]) : [];
  return blocks.map(({ text }) => (typeof text === "string" ? text : "")).find((text) => text !== "") ?? "";
}
