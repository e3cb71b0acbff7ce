import { McpError } from "@lethe/protocol";
import { afterEach, beforeEach, describe, expect, it, test, vi } from "vitest";
import { createRequestBuilder } from "../call/build-request.ts";
import { createExchange } from "../call/exchange.ts";
import { TransportError } from "../call/transport-error.ts";
import { createHttpDispatch } from "./http-dispatch.ts";
import type { HttpAnswer, HttpSend } from "./http-send.ts";
import { fillRetries, repeatUnsent } from "./retries.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

const retries = fillRetries({});
const away = (reason = "unavailable", retryAfterMs: unknown = 500) =>
  new McpError(-32603, "is away", { data: { reason, retryAfterMs } });
const refused = new TransportError("unreachable", "refused", {
  cause: Object.assign(new Error("connect"), { code: "ECONNREFUSED" }),
});

/** Runs to the end of all pauses, and returns the number of attempts. */
async function attemptsAfter(first: unknown, ...later: unknown[]): Promise<{ attempts: number; outcome: unknown }> {
  const errors = [first, ...later];
  let attempts = 0;
  const attempt = async () => {
    const error = errors[attempts];
    attempts += 1;
    if (error !== undefined) throw error;
    return "done";
  };
  const run = attempt().catch((error) =>
    repeatUnsent(error, attempt, { retries, signal: new AbortController().signal }),
  );
  const settled = run.catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  return { outcome: await settled, attempts };
}

describe("a request that did not start", () => {
  it.each([
    ["the server is unavailable", away()],
    ["the server is busy", away("busy")],
    ["the connection is refused", refused],
    ["a proxy answers 503 with Retry-After", new TransportError("status", "503", { status: 503, retryAfterMs: 1_000 })],
  ])("is sent again when %s", async (_, error) => {
    expect(await attemptsAfter(error, error)).toEqual({ outcome: "done", attempts: 3 });
  });

  it("is sent four times at most", async () => {
    const error = away();
    expect(await attemptsAfter(error, error, error, error, error)).toEqual({ outcome: error, attempts: 4 });
  });

  it("is not sent again when the server asks for a pause beyond the time limit", async () => {
    const error = away("unavailable", 60_000);
    expect(await attemptsAfter(error)).toEqual({ outcome: error, attempts: 1 });
  });

  it("is not sent again after a cancellation", async () => {
    const stop = new AbortController();
    const attempt = vi.fn(() => Promise.reject(away()));
    const run = repeatUnsent(away(), attempt, { retries, signal: stop.signal }).catch((error: unknown) => error);
    stop.abort(new Error("cancelled"));
    await vi.runAllTimersAsync();
    expect(await run).toMatchObject({ message: "cancelled" });
    expect(attempt).not.toHaveBeenCalled();
  });

  it("waits for the time that the server asks for", async () => {
    const attempt = vi.fn(async () => "done");
    const run = repeatUnsent(away("busy", 3_000), attempt, { retries, signal: new AbortController().signal });
    await vi.advanceTimersByTimeAsync(2_999);
    expect(attempt).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(300);
    expect(await run).toBe("done");
  });
});

test.each([
  ["the connection was lost", new TransportError("lost", "reset")],
  ["the request timed out", new TransportError("timeout", "silence")],
  ["the server says that the call was lost", away("lost")],
  ["the server does not say when to retry", away("unavailable", null)],
  ["a proxy answers 502", new TransportError("status", "502", { status: 502, retryAfterMs: 1_000 })],
  ["the certificate is refused", new TransportError("unreachable", "certificate")],
  ["the params are wrong", new McpError(-32602, "no", { data: { reason: "unavailable", retryAfterMs: 1 } })],
])("a request is not sent again when %s", async (_, error) => {
  expect(await attemptsAfter(error)).toEqual({ outcome: error, attempts: 1 });
});

describe("a connection over HTTP", () => {
  const request = createRequestBuilder({ capabilities: {}, revision: "2026-07-28" }).build("tools/call", { name: "t" });
  const unavailable = {
    code: -32603,
    message: "away",
    data: { reason: "unavailable", upstream: "u", retryAfterMs: 10 },
  };

  /** Answers with status 200 and the error of a gateway until `failures` requests have come. */
  function gateway(failures: number): { send: HttpSend; sent: unknown[] } {
    const sent: unknown[] = [];
    const send: HttpSend = async ({ body }) => {
      const { id } = JSON.parse(String(body)) as { id: number };
      sent.push(id);
      const outcome = sent.length <= failures ? { error: unavailable } : { result: { resultType: "complete" } };
      return {
        status: 200,
        headers: (name: string) => (name === "content-type" ? "application/json" : undefined),
        text: async () => JSON.stringify({ jsonrpc: "2.0", id, ...outcome }),
        discard() {},
      } as unknown as HttpAnswer;
    };
    return { send, sent };
  }

  it("repeats a call under a new id until the server is back", async () => {
    const { send, sent } = gateway(2);
    const { dispatch, close } = createHttpDispatch(new URL("http://server/mcp"), send, { retries: {} });
    const result = dispatch(request, createExchange({}));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await result).toMatchObject({ resultType: "complete" });
    expect(sent).toEqual([1, 2, 3]);
    close();
  });

  it("repeats nothing by default", async () => {
    const { send, sent } = gateway(2);
    const { dispatch, close } = createHttpDispatch(new URL("http://server/mcp"), send);
    await expect(dispatch(request, createExchange({}))).rejects.toMatchObject({ data: { reason: "unavailable" } });
    expect(sent).toEqual([1]);
    close();
  });
});
