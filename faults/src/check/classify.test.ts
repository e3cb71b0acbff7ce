import { expect, it } from "vitest";
import { classify } from "./classify.ts";

const refused =
  "MCP error -32602: elicitation/create is refused: calls of several callers are in progress, and nothing says";

it.each([
  ["a result", { status: 200, result: {} }, "ok"],
  ["an error that says that the call has not started", withReason("unavailable"), "unavailable"],
  ["an error of a busy server", withReason("busy"), "unavailable"],
  ["an error that tells of a lost session", withReason("session_lost"), "told"],
  ["an error of a call that may have run", withReason("lost"), "lost"],
  ["an error without a reason", { status: 200, error: { code: -32603, message: "internal error" } }, "untyped"],
  ["an error with an unknown reason", withReason("strange"), "untyped"],
  ["a reply without a message", { status: 502, broken: "502 without a JSON-RPC message" }, "untyped"],
  ["a 503 with Retry-After", { ...withReason(undefined), hasRetryAfter: true }, "unavailable"],
  ["a 503 without Retry-After", withReason(undefined), "untyped"],
  ["a tool that failed because its question was refused", withMessage(refused), "lost"],
  ["a closed connection", { broken: "socket hang up" }, "untyped"],
])("classify recognizes %s", (_, reply, outcome) => {
  expect(classify({ hasRetryAfter: false, ...reply }).outcome).toBe(outcome);
});

function withReason(reason: string | undefined) {
  return { status: 503, error: { code: -32_603, message: "failed", ...(reason && { data: { reason } }) } };
}

function withMessage(message: string) {
  return { status: 200, error: { code: -32_602, message } };
}
