// Reads the answer to `initialize`.
import {
  type InitializeResult,
  ignoredTasksOf,
  isLegacyRevision,
  parseInitializeResult,
} from "@lethe/protocol/revisions";
import type { Exchange } from "../exchange/exchange.ts";
import { inShort, type Problem, problemOf } from "./problem.ts";

/** Returns undefined for a result that is not an `initialize` result. */
export function readInitialized({ answer }: Exchange): InitializeResult | undefined {
  try {
    return answer.kind === "result" ? parseInitializeResult(answer.result) : undefined;
  } catch {
    return undefined;
  }
}

/** The problem if `initialize` failed or got an invalid answer. */
export function toHandshakeProblem(first: Exchange): Problem {
  const { number: exchange, what } = first;
  if (first.answer.kind === "result") {
    const message = `${what} got an answer that is not an initialize result`;
    return { reason: "not-mcp", message, advice: "see the body of the answer: it names no revision", exchange };
  }
  const message = `${what} was refused: ${inShort(first)}`;
  const isHeard = first.answer.kind === "error";
  const advice = isHeard
    ? "see the server's log: it speaks MCP and refuses clients"
    : "check the path: no MCP server answers there";
  return problemOf(first) ?? { reason: "refused", message, advice, exchange };
}

export function toRemarks({ protocolVersion, capabilities }: InitializeResult): readonly string[] {
  const remarks: string[] = [];
  if (!isLegacyRevision(protocolVersion)) {
    remarks.push(`initialize was answered with revision ${JSON.stringify(protocolVersion)}, which has no initialize`);
  }
  const ignoredTasks = ignoredTasksOf(capabilities);
  return ignoredTasks === undefined ? remarks : [...remarks, ignoredTasks];
}
