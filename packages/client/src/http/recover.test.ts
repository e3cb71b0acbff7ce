import { type JsonObject, McpError, type ModernRequest } from "@lethe/protocol";
import { expect, test, vi } from "vitest";
import { TransportError } from "../call/transport-error.ts";
import { recover } from "./recover.ts";

const request = (method: string, params: JsonObject = {}): ModernRequest => ({
  id: 1,
  method,
  params: { ...params, _meta: {} } as ModernRequest["params"],
});
const lost = new TransportError("lost", "the stream ended");

test.each([
  ["a read", request("resources/read", { uri: "a:b" }), true],
  ["a prompt", request("prompts/get", { name: "p" }), true],
  ["a call of a tool", request("tools/call", { name: "t" }), false],
  ["a read with what a user has answered", request("resources/read", { uri: "a:b", inputResponses: {} }), false],
  ["a read with the server's state", request("resources/read", { uri: "a:b", requestState: "s" }), false],
])(
  "%s whose answer was lost is sent again only when nothing can come of it twice (B-73)",
  async (_what, one, isSentAgain) => {
    const send = vi.fn(async () => ({ resultType: "complete" }));
    const recovered = recover(lost, one, send);
    if (isSentAgain) expect(await recovered).toEqual({ resultType: "complete" });
    else await expect(recovered).rejects.toBe(lost);
    expect(send).toHaveBeenCalledTimes(isSentAgain ? 1 : 0);
  },
);

test("a call that a draft server rejected for its headers is repeated after the tools were listed again (I-3)", async () => {
  const refusal = new McpError(-32001, "HeaderMismatch: Mcp-Param-City does not match the body");
  const send = vi.fn(async ({ method }: ModernRequest) =>
    method === "tools/list" ? { resultType: "complete", tools: [] } : { resultType: "complete", content: [] },
  );
  expect(await recover(refusal, request("tools/call", { name: "t" }), send)).toMatchObject({ content: [] });
  expect(send.mock.calls.map(([{ method }]) => method)).toEqual(["tools/list", "tools/call"]);
});

test("a call with another error of code -32001 is not repeated", async () => {
  const timeout = new McpError(-32001, "Request timed out");
  const send = vi.fn();
  await expect(recover(timeout, request("tools/call", { name: "t" }), send)).rejects.toBe(timeout);
  expect(send).not.toHaveBeenCalled();
});
