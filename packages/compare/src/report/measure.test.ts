// What is counted, on recordings that can be counted by hand.
import { describe, expect, it } from "vitest";
import { exchange, recording } from "../testing/recordings.ts";
import { measure } from "./measure.ts";

const call = { name: "call", feature: "call", startedAt: 15, endedAt: 26, outcome: "done", detail: "" } as const;
const connect = { name: "connect", startedAt: 1, endedAt: 9, outcome: "done", detail: "" } as const;
const stream = { headers: [["Content-Type", "text/event-stream; charset=utf-8"]] as const };

describe("what ties requests together", () => {
  it.each([
    ["nothing", [exchange(1, {}), exchange(2, {})], "none"],
    [
      "a header",
      [exchange(1, {}), exchange(2, { headers: [["MCP-Session-Id", "a"]] })],
      "Mcp-Session-Id on 1 of 2 requests",
    ],
    ["a query", [exchange(1, { target: "/messages?session_id=a" })], "session id in the address of 1 of 1 requests"],
    [
      "a query of another name",
      [exchange(1, { target: "/messages?sessionId=a" })],
      "session id in the address of 1 of 1 requests",
    ],
  ])("%s", (_, exchanges, session) => {
    expect(measure(recording({ exchanges }))).toMatchObject({ session, hasSession: session !== "none" });
  });

  it("a process remembers what a legacy client told it", () => {
    const pipe = { transport: "stdio", lines: [] } as const;
    expect(measure(recording({ ...pipe, era: "legacy" })).hasSession).toBe(true);
    expect(measure(recording({ ...pipe, era: "modern" })).hasSession).toBe(false);
  });
});

describe("a long-lived stream", () => {
  const event = { at: 25, event: "message", data: "{}" };
  const events = [event];
  it.each([
    ["is one during which something else was asked", { ...exchange(1, {}, { ...stream, events }), endedAt: 90 }, 1],
    [
      "is none when its last event had come before",
      { ...exchange(1, {}, { ...stream, events: [{ ...event, at: 15 }] }), endedAt: 90 },
      0,
    ],
    [
      "is one that was cut, whatever came last",
      { ...exchange(1, {}, { ...stream, events: [] }), endedAt: 90, isCut: true },
      1,
    ],
    ["is none without events", { ...exchange(1, {}), endedAt: 90 }, 0],
  ])("%s", (_, first, count) => {
    const { longLived } = measure(recording({ exchanges: [first, exchange(2, {})] }));
    expect(longLived).toHaveLength(count);
  });
});

it("bytes, requests and time to the first result", () => {
  const exchanges = [exchange(1, {}), exchange(2, {}, { status: 202 }), { ...exchange(3, {}), connection: 2 }];
  expect(measure(recording({ exchanges, steps: [connect, call] }))).toMatchObject({
    ...{ bytesUp: 360, bytesDown: 270, sent: 3, sentToFirstResult: 2, firstResultMs: 25, totalMs: 99, connections: 2 },
    ...{ requests: { POST: 3 }, statuses: { 200: 2, 202: 1 }, contentTypes: { "application/json": 3 } },
  });
});

it("a call that failed is no first result", () => {
  const failed = { ...call, outcome: "failed" } as const;
  const { sentToFirstResult, firstResultMs } = measure(recording({ steps: [connect, failed] }));
  expect([sentToFirstResult, firstResultMs]).toEqual([undefined, undefined]);
});
