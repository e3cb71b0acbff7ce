import { McpError } from "@lethe/protocol";
import { expect, it } from "vitest";
import { createServer } from "../create-server.ts";
import { InputDeclined } from "../interaction/input-declined.ts";
import { callTool } from "../testing/call.ts";
import { exposeErrors } from "./expose-errors.ts";

async function callFailing(error: unknown) {
  const server = createServer({ name: "a", version: "1" }, { onError: () => undefined });
  server.tool("fail", {
    handler: exposeErrors(() => {
      throw error;
    }),
  });
  return callTool(server, "fail");
}

it("callers read the message of an error that a handler wrapped in exposeErrors throws", async () => {
  expect(await callFailing(new Error("no such file"))).toMatchObject({
    isError: true,
    content: [{ text: "no such file" }],
  });
  expect(await callFailing("text")).toMatchObject({ isError: true, content: [{ text: "text" }] });
});

it("exposeErrors passes protocol errors and declined input through", async () => {
  await expect(callFailing(new McpError(-32602, "bad"))).rejects.toMatchObject({ code: -32602, message: "bad" });
  expect(await callFailing(new InputDeclined("decline"))).toMatchObject({
    content: [{ text: "the user declined to answer" }],
  });
});
