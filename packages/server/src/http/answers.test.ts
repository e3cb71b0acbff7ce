// Which HTTP status and headers an error gets.
import { McpError, overloaded, tooManyRequests } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import { toErrorAnswer } from "./answers.ts";

const told = (error: McpError) => {
  const { status, headers, body } = toErrorAnswer(error, 1);
  return { status, retryAfter: headers["Retry-After"], data: JSON.parse(body).error.data };
};

describe("a refusal", () => {
  it("by a busy server answers 503, so that a load balancer chooses another server", () => {
    const data = { retryAfterMs: 1_200 };
    expect(told(overloaded("busy", 1_200))).toEqual({ status: 503, retryAfter: "2", data });
  });

  it("of a caller with too many requests answers 429, which is not a server error", () => {
    const data = { retryAfterMs: 500 };
    expect(told(tooManyRequests("at most 2", 500))).toEqual({ status: 429, retryAfter: "1", data });
  });

  it("that was forwarded from another server is an ordinary error (A-48)", () => {
    const data = { reason: "unavailable", upstream: "up", retryAfterMs: 500 };
    expect(told(new McpError(-32603, "not running", { data }))).toEqual({ status: 200, retryAfter: undefined, data });
  });
});
