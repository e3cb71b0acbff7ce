// Clients that read slowly: notifications are dropped, other messages are not.
import { revisionNamed } from "@lethe/protocol/revisions";
import { expect, it, vi } from "vitest";
import type { LegacyHttpCall } from "../../http/servable.ts";
import { LegacySession } from "../sessions/session.ts";
import { createResultWriter } from "../shared/legacy-context.ts";
import { fillLegacyOptions } from "../shared/legacy-options.ts";
import { LostStreams } from "../shared/lost-streams.ts";
import { GetStream } from "./get-stream.ts";
import { PostResponse } from "./post-response.ts";

const settings = fillLegacyOptions({});
const facts = { id: "s", revision: revisionNamed("2025-06-18"), capabilities: {}, clientInfo: undefined };

function createSlowCall(verb: string) {
  const sent: string[] = [];
  const call: LegacyHttpCall = {
    verb,
    url: "/mcp",
    headers: () => "application/json, text/event-stream",
    caller: undefined,
    isAnonymous: false,
    servable: undefined,
    message: undefined,
    isSlow: true,
    onAbort() {},
    answer: () => expect.unreachable(),
    retain: () => () => {},
    beginStream: () => true,
    send: (text) => sent.push(/data: (\w+)/.exec(text)?.[1] ?? "") > 0,
    drained: () => Promise.resolve(),
    endStream: vi.fn(),
  };
  return { call, sent };
}

it("a POST response drops notifications for a slow client, but no input request and no response", () => {
  const { call, sent } = createSlowCall("POST");
  const reply = new PostResponse(call, { facts, settings, requestId: 1, expected: 1 });
  expect(reply.notify("notification")).toBe(false);
  reply.send("question");
  reply.respond({ text: "response" });
  expect(sent).toEqual(["question", "response"]);
  expect(call.endStream).toHaveBeenCalledOnce();
});

it("a GET stream drops notifications for a slow client, and returns false", () => {
  const { call, sent } = createSlowCall("GET");
  const dispatch = () => Promise.reject(new Error("not called"));
  const context = {
    dispatch,
    info: { name: "s", version: "1" },
    settings,
    writeResult: createResultWriter(),
    lostStreams: new LostStreams(10),
  };
  const stream = new GetStream(call, new LegacySession(facts, context), context);
  expect(stream.notify("change")).toBe(false);
  stream.end();
  expect(sent).toEqual([]);
});
