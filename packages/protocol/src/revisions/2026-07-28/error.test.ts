// The error codes of drafts (I-1 to I-3).
import { expect, test } from "vitest";
import { McpError } from "../../jsonrpc/error.ts";
import { fromDraftError } from "./error.ts";

test.each<[string, number, string, unknown, number]>([
  ["a missing capability", -32003, "missing capability", { requiredCapabilities: { elicitation: {} } }, -32021],
  ["a header mismatch", -32001, "HeaderMismatch: Mcp-Name header value 'foo' does not match", undefined, -32020],
  ["a header mismatch in words", -32001, "Header mismatch: Mcp-Method", undefined, -32020],
  ["an unsupported version", -32004, "unsupported", { supported: ["2025-11-25"] }, -32022],
  ["an unsupported version among the invalid params", -32602, "unsupported", { supported: ["2025-11-25"] }, -32022],
])("fromDraftError maps the draft code of %s to the final code", (_what, code, message, data, final) => {
  const draft = new McpError(code, message, { data });
  const error = fromDraftError(draft);
  expect(error).toMatchObject({ name: "McpError", code: final, message, data });
  expect(error.cause).toBe(draft);
});

test.each<[string, number, string, unknown]>([
  ["a server's own -32003 without the required capabilities", -32003, "resource is locked", { id: 4 }],
  ["a request that timed out under -32001", -32001, "Request timed out", { timeout: 60_000 }],
  ["a session that was not found under -32001", -32001, "Session not found", undefined],
  ["-32004 without a list of versions", -32004, "not found", { supported: "2025-11-25" }],
  ["ordinary invalid params", -32602, "unknown tool", { tool: "x" }],
  ["a final code", -32021, "missing required client capability", { requiredCapabilities: {} }],
])("fromDraftError does not change %s", (_what, code, message, data) => {
  const error = new McpError(code, message, { data });
  expect(fromDraftError(error)).toBe(error);
});
