import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createServer } from "../create-server.ts";
import { image, text } from "../features/content.ts";
import { call } from "../testing/call.ts";

const info = { name: "s", version: "1" };
const options = { serverInfo: false };
const user = (value: string) => ({ role: "user" as const, content: text(value) });

describe("prompts/get", () => {
  it.each([
    ["a text", "hello", { messages: [user("hello")] }],
    [
      "a message",
      { role: "assistant", content: text("hi") },
      { messages: [{ role: "assistant", content: text("hi") }] },
    ],
    ["messages", [user("a"), user("b")], { messages: [user("a"), user("b")] }],
    [
      "a full result",
      { description: "mine", messages: [{ role: "user", content: image("AA==", "image/png") }] },
      { description: "mine", messages: [{ role: "user", content: image("AA==", "image/png") }] },
    ],
  ])("prompts/get converts %s to a result (E-82)", async (_, value, expected) => {
    const server = createServer(info, options).prompt("p", { description: "d", handler: () => value as string });
    expect(await call(server, "prompts/get", { name: "p" })).toEqual({
      resultType: "complete",
      description: "d",
      ...expected,
    });
  });

  it("lists, checks and converts prompt arguments by the schema", async () => {
    const input = z.object({ topic: z.string().describe("what about"), count: z.coerce.number().int().optional() });
    const server = createServer(info, options).prompt("p", {
      argsSchema: input,
      handler: ({ topic, count = 1 }) => Array.from({ length: count }, () => user(topic)),
    });
    const { prompts } = await call(server, "prompts/list");
    expect(prompts).toEqual([
      {
        name: "p",
        arguments: [
          { name: "topic", description: "what about", required: true },
          { name: "count", required: false },
        ],
      },
    ]);
    const get = (args: object) => call(server, "prompts/get", { name: "p", arguments: args });
    expect(await get({ topic: "x", count: "2" })).toMatchObject({ messages: [user("x"), user("x")] });
    await expect(get({ count: "2" })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^invalid prompt arguments: topic: /),
    });
    await expect(get({ topic: 1 })).rejects.toMatchObject({ code: -32602 });
    await expect(call(server, "prompts/get", { name: "q" })).rejects.toMatchObject({
      code: -32602,
      message: 'unknown prompt: "q"',
    });
  });
});
