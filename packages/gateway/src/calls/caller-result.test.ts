import { McpError } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import { createSecretMask } from "../upstreams/connection/secret-mask.ts";
import { maskError, maskErrors } from "./caller-result.ts";

const mask = createSecretMask(["token-of-gh"]);

describe("errors of an upstream as callers see them", () => {
  it("masks secrets in the message and the data of an upstream error", () => {
    const error = new McpError(-32000, "rejected token-of-gh", { data: { sent: ["token-of-gh"] } });
    const masked = maskError(error, mask);
    expect(masked).toMatchObject({ code: -32000, message: "rejected ***", data: { sent: ["***"] } });
    expect(masked).not.toHaveProperty("cause");
  });

  it("returns the same error object when it contains no secret", () => {
    const error = new McpError(-32000, "rejected", { data: { sent: [] } });
    expect(maskError(error, mask)).toBe(error);
    const other = new Error("token-of-gh");
    expect(maskError(other, mask)).toBe(other);
  });
});

describe("results of an upstream as callers see them", () => {
  const content = [{ type: "text", text: "is token-of-gh" }];

  it("masks secrets in the result of a failed tool", () => {
    expect(maskErrors({ isError: true, content }, mask)).toEqual({
      isError: true,
      content: [{ type: "text", text: "is ***" }],
    });
  });

  it("returns the result of a successful tool unchanged", () => {
    const result = { isError: false, content };
    expect(maskErrors(result, mask)).toBe(result);
  });

  it("masks secrets in results that describe a failed task and in no other task results", () => {
    const failed = {
      taskId: "t",
      status: "failed",
      statusMessage: "no token-of-gh",
      error: { message: "token-of-gh" },
    };
    expect(maskErrors(failed, mask)).toMatchObject({ statusMessage: "no ***", error: { message: "***" } });
    const wrong = { status: "completed", result: { isError: true, content } };
    expect(maskErrors(wrong, mask)).toMatchObject({ result: { content: [{ text: "is ***" }] } });
    expect(maskErrors({ status: "completed", result: { content } }, mask)).toEqual({
      status: "completed",
      result: { content },
    });
  });
});
