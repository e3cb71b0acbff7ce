// Tests of measure with recordings small enough to count by hand.
import { describe, expect, it } from "vitest";
import { exchange, recording } from "../testing/recordings.ts";
import { measure } from "./measure.ts";
import { toRange } from "./table.ts";

const call = { name: "call", feature: "call", startedAt: 15, endedAt: 26, outcome: "done", detail: "" } as const;
const connect = { name: "connect", startedAt: 1, endedAt: 9, outcome: "done", detail: "" } as const;
const stream = { headers: [["Content-Type", "text/event-stream; charset=utf-8"]] as const };

describe("the session measured by measure", () => {
  it.each([
    ["requests without a session", [exchange(1, {}), exchange(2, {})], "none"],
    [
      "a session header",
      [exchange(1, {}), exchange(2, { headers: [["MCP-Session-Id", "a"]] })],
      "Mcp-Session-Id on 1 of 2 requests",
    ],
    [
      "a session id in the query",
      [exchange(1, { target: "/messages?session_id=a" })],
      "session id in the address of 1 of 1 requests",
    ],
    [
      "a session id in a query parameter with another name",
      [exchange(1, { target: "/messages?sessionId=a" })],
      "session id in the address of 1 of 1 requests",
    ],
  ])("recognises %s", (_, exchanges, session) => {
    expect(measure(recording({ exchanges }))).toMatchObject({ session, hasSession: session !== "none" });
  });

  it("is the process itself over legacy stdio", () => {
    const pipe = { transport: "stdio", lines: [] } as const;
    expect(measure(recording({ ...pipe, era: "legacy" })).hasSession).toBe(true);
    expect(measure(recording({ ...pipe, era: "modern" })).hasSession).toBe(false);
  });
});

describe("the long-lived streams counted by measure", () => {
  const event = { at: 25, event: "message", data: "{}" };
  const events = [event];
  it.each([
    [
      "include a stream during which the client sent another request",
      { ...exchange(1, {}, { ...stream, events }), endedAt: 90 },
      1,
    ],
    [
      "exclude a stream whose last event came before the other request",
      { ...exchange(1, {}, { ...stream, events: [{ ...event, at: 15 }] }), endedAt: 90 },
      0,
    ],
    [
      "include a stream that was cut off, regardless of its last event",
      { ...exchange(1, {}, { ...stream, events: [] }), endedAt: 90, isCut: true },
      1,
    ],
    ["exclude a response without events", { ...exchange(1, {}), endedAt: 90 }, 0],
  ])("%s", (_, first, count) => {
    const { longLived } = measure(recording({ exchanges: [first, exchange(2, {})] }));
    expect(longLived).toHaveLength(count);
  });
});

it("measure counts bytes, requests and the time to the first result", () => {
  const exchanges = [exchange(1, {}), exchange(2, {}, { status: 202 }), { ...exchange(3, {}), connection: 2 }];
  expect(measure(recording({ exchanges, steps: [connect, call] }))).toMatchObject({
    ...{ bytesUp: 360, bytesDown: 270, sent: 3, sentToFirstResult: 2, firstResultMs: 25, totalMs: 99, connections: 2 },
    ...{ requests: { POST: 3 }, statuses: { 200: 2, 202: 1 }, contentTypes: { "application/json": 3 } },
  });
});

it("measure does not take a failed call for the first result", () => {
  const failed = { ...call, outcome: "failed" } as const;
  const { sentToFirstResult, firstResultMs } = measure(recording({ steps: [connect, failed] }));
  expect([sentToFirstResult, firstResultMs]).toEqual([undefined, undefined]);
});

it("the time to the first result is the median of all runs, and its range is shown", () => {
  const repeated = recording({ steps: [connect, call], repeatedFirstResultMs: [10, 40, 31] });
  const { firstResultMs, firstResults } = measure(repeated);
  expect(firstResultMs).toBe(28);
  expect(toRange(firstResults)).toBe("10 to 40 ms in 4 runs");
  expect(toRange(measure(recording({ steps: [connect, call] })).firstResults)).toBeUndefined();
});
