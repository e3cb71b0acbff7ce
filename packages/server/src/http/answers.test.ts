import { McpError, overloaded, tooManyRequests } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import { toErrorAnswer } from "./answers.ts";

const told = (error: McpError) => {
  const { status, headers, body } = toErrorAnswer(error, 1);
  return { status, retryAfter: headers["Retry-After"], data: JSON.parse(body).error.data };
};

describe("a refusal", () => {
  it("of a server that is busy answers 503, so that a load balancer goes elsewhere", () => {
    const data = { retryAfterMs: 1_200 };
    expect(told(overloaded("busy", 1_200))).toEqual({ status: 503, retryAfter: "2", data });
  });

  it("of a caller who asks too often answers 429, which is no failure of the server", () => {
    const data = { retryAfterMs: 500 };
    expect(told(tooManyRequests("at most 2", 500))).toEqual({ status: 429, retryAfter: "1", data });
  });

  it("by another server, which is only passed on, is an error like any other (A-48)", () => {
    const data = { reason: "unavailable", upstream: "up", retryAfterMs: 500 };
    expect(told(new McpError(-32603, "not running", { data }))).toEqual({ status: 200, retryAfter: undefined, data });
  });
});
