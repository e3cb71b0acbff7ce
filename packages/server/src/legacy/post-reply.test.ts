import { codecOf } from "@lethe/protocol/legacy";
import { expect, it, vi } from "vitest";
import type { LegacyCall } from "../http/servable.ts";
import { fillLegacyOptions } from "./legacy-options.ts";
import { PostReply } from "./post-reply.ts";

it("a notification is dropped for a client that reads too slowly, and a question never is", () => {
  const sent: string[] = [];
  const call: LegacyCall = {
    verb: "POST",
    url: "/mcp",
    headers: () => "application/json, text/event-stream",
    caller: undefined,
    isAnonymous: false,
    servable: undefined,
    message: undefined,
    isSlow: true,
    onAbort() {},
    answer: () => expect.unreachable(),
    beginStream: () => true,
    send: (text) => sent.push(text) > 0,
    drained: () => Promise.resolve(),
    endStream: vi.fn(),
  };
  const facts = { id: "s", codec: codecOf("2025-06-18"), capabilities: {}, clientInfo: undefined };
  const reply = new PostReply(call, { facts, settings: fillLegacyOptions({}), requestId: 1, expected: 1 });
  expect(reply.notify("notification")).toBe(false);
  reply.send("question");
  reply.respond({ text: "response" });
  expect(sent.map((text) => /data: (\w+)/.exec(text)?.[1])).toEqual(["question", "response"]);
  expect(call.endStream).toHaveBeenCalledOnce();
});
