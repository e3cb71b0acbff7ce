import { expect, it } from "vitest";
import { invalidParams, McpError, missingClientCapability } from "../../jsonrpc/error.ts";
import { resourceNotFound } from "../../model/resources.ts";
import { toClientError } from "./error.ts";

it.each([
  ["resources/read", resourceNotFound("x://a"), -32002],
  ["resources/read", invalidParams("no uri"), -32602],
  ["tools/call", invalidParams("unknown tool", { uri: "x" }), -32602],
  ["tools/call", missingClientCapability({ sampling: {} }), -32602],
  ["tools/call", new McpError(-32020, "header mismatch"), -32603],
  ["tools/call", new McpError(-32022, "version"), -32603],
  ["tools/call", new McpError(4711, "own"), 4711],
])("%s that fails with %s answers an older client with %i (D-28, D-52)", (method, error, code) => {
  const legacy = toClientError(method, error);
  expect(legacy).toMatchObject({ code, message: error.message });
  expect(legacy.data).toEqual(error.data);
});

it("a call without task of a tool that requires one answers -32601 (D-38)", () => {
  const error = missingClientCapability({ extensions: { "io.modelcontextprotocol/tasks": {} } });
  expect(toClientError("tools/call", error).code).toBe(-32601);
});

it("toClientError does not name missing extensions to clients that cannot declare them", () => {
  const extensions = { "io.modelcontextprotocol/tasks": {} };
  expect(toClientError("tools/call", missingClientCapability({ extensions })).data).toBeUndefined();
  expect(toClientError("tools/call", missingClientCapability({ sampling: {}, extensions })).data).toEqual({
    requiredCapabilities: { sampling: {} },
  });
});
