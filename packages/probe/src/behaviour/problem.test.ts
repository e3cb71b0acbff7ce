// Which answers say something of sessions and eras, and which only that something else is the matter.
import { describe, expect, it } from "vitest";
import type { Answer, Exchange } from "../exchange/exchange.ts";
import { endsProbe, isRefusal, problemOf } from "./problem.ts";

const error: Answer = { kind: "error", error: { code: -32000, message: "" } };
const other: Answer = { kind: "other" };

function exchange(status: number | undefined, answer: Answer, headers: Record<string, string> = {}): Exchange {
  const sent = { via: "POST", address: "http://x", headers: {} } as const;
  const base = { number: 7, what: "tools/list", sent, headers, body: "", answer, asked: [], ms: 1 };
  return { ...base, ...(status !== undefined && { status }) };
}

describe("a status without a message", () => {
  it.each<[number, string | undefined]>([
    [199, undefined],
    [200, "not-mcp"],
    [299, "not-mcp"],
    [300, "redirect"],
    [399, "redirect"],
    [400, undefined],
    [401, "unauthorized"],
    [403, "forbidden"],
    [404, undefined],
    [429, "rate-limited"],
    [500, undefined],
    [501, undefined],
    [502, "unavailable"],
    [503, "unavailable"],
    [504, "unavailable"],
    [505, undefined],
  ])("%d: %s", (status, reason) => {
    expect(problemOf(exchange(status, other))).toEqual(
      reason === undefined ? undefined : expect.objectContaining({ reason, exchange: 7 }),
    );
  });
});

it.each([401, 403, 429])("%d is a problem even with a JSON-RPC error", (status) => {
  expect(problemOf(exchange(status, error))).toBeDefined();
});

it.each([200, 400, 500, 502, 503, 504])("a JSON-RPC error under %d is an answer of the server", (status) => {
  expect(problemOf(exchange(status, error))).toBeUndefined();
  expect(isRefusal(exchange(status, error))).toBe(true);
});

it("a problem names the target of a redirect and the time of a retry", () => {
  expect(problemOf(exchange(307, other, { location: "/there" }))?.message).toBe("tools/list: 307, to /there");
  expect(problemOf(exchange(307, other))?.message).toBe("tools/list: 307, to nowhere");
  expect(problemOf(exchange(503, other, { "retry-after": "9" }))?.message).toBe("tools/list: 503, retry after 9");
  expect(problemOf(exchange(200, other, { "content-type": "text/html" }))?.message).toContain("200 with text/html");
});

it("a redirect, a 429 and an unreachable network end the probe", () => {
  const unreachable = { kind: "none", reason: "unreachable", message: "" } as const;
  const timeout = { kind: "none", reason: "timeout", message: "" } as const;
  const ending = [exchange(307, other), exchange(429, other), exchange(undefined, unreachable)];
  expect(ending.map(endsProbe)).toEqual([true, true, true]);
  const going = [exchange(401, other), exchange(503, other), exchange(404, error), exchange(undefined, timeout)];
  expect(going.map(endsProbe)).toEqual([false, false, false, false]);
});

it("silence and a page are no refusal; 401 and 403 are one after a success with a session id", () => {
  const timeout = { kind: "none", reason: "timeout", message: "" } as const;
  expect([exchange(undefined, timeout), exchange(200, other), exchange(503, other)].map(isRefusal)).toEqual([
    false,
    false,
    false,
  ]);
  expect([exchange(401, other), exchange(403, error), exchange(404, other)].map(isRefusal)).toEqual([true, true, true]);
});
