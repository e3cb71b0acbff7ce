import { invalidParams, McpError, overloaded, tooManyRequests } from "@lethe/protocol";
import { AuthenticationError } from "@lethe/server/auth";
import { describe, expect, it } from "vitest";
import { toReasonLabel, toRequestFailure } from "./failure-reason.ts";
import { asPolicyDenial } from "./policy/policy-denial.ts";

describe("the reason of a failed request", () => {
  it.each<[string, unknown, string, string]>([
    ["a rate limit", tooManyRequests("slow down", 1_000), "rejected", "rate_limited"],
    ["an overload of the gateway", overloaded("busy", 1_000), "rejected", "overloaded"],
    ["a denial of the policy", asPolicyDenial(invalidParams("unknown tool: x")), "rejected", "denied_by_policy"],
    ["a missing scope", new AuthenticationError(403, "no", {}), "rejected", "insufficient_scope"],
    ["an upstream that is down", overloaded("down", 1_000, { reason: "unavailable" }), "error", "unavailable"],
    ["an unknown tool", invalidParams("unknown tool: x"), "error", "invalid_params"],
    ["a code without a word", new McpError(-31_000, "?"), "error", "other"],
    ["a defect", new TypeError("x is undefined"), "error", "internal_error"],
  ])("of %s says whether the gateway rejected it", (_what, error, outcome, reason) => {
    expect(toRequestFailure(error)).toEqual({ outcome, reason });
    expect(toReasonLabel(reason)).toBe(reason);
  });

  it("is no label of metrics if an upstream invented it", () => {
    const error = new McpError(-32_603, "x", { data: { reason: "user-4711" } });
    expect(toReasonLabel(toRequestFailure(error).reason)).toBe("other");
  });
});
