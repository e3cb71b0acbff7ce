// What only the web-standard door has to mind: what a platform makes when it is asked for it.
import type { Result } from "@lethe/protocol";
import { expect, it, vi } from "vitest";
import { createKeyAuthenticator } from "../auth/key-authenticator.ts";
import { createFetchHandler } from "./handler.ts";
import { callOf, progress, version } from "./testing/messages.ts";

const complete: Result = { resultType: "complete", content: [] };
const text = JSON.stringify(callOf());
const headers = {
  "content-type": "application/json",
  "content-length": String(text.length),
  "mcp-protocol-version": version,
  "mcp-method": "tools/call",
  "mcp-name": "add",
};

function requestOf(init: RequestInit & { duplex?: "half" } = {}): Request {
  return new Request("http://s.example/mcp", { method: "POST", headers, body: text, ...init });
}

it("a plain call needs neither the signal nor the body stream of its request, which cost more than the call", async () => {
  const request = requestOf();
  const asked: string[] = [];
  for (const member of ["signal", "body"] as const) {
    const value = request[member];
    Object.defineProperty(request, member, { get: () => asked.push(member) && value });
  }
  const handler = createFetchHandler({ dispatch: async () => complete });
  expect((await handler(request)).status).toBe(200);
  expect(asked).toEqual([]);
});

it("a client that left before anybody watched is noticed as soon as somebody does (B-20)", async () => {
  const controller = new AbortController();
  const handler = createFetchHandler({
    async dispatch(_, exchange) {
      controller.abort();
      expect(exchange.signal.aborted).toBe(true);
      return complete;
    },
  });
  expect((await handler(requestOf({ signal: controller.signal }))).status).toBe(499);
});

it("no timer outlives its request", async () => {
  vi.useFakeTimers();
  try {
    const handler = createFetchHandler({
      async dispatch(_, exchange) {
        exchange.notify(progress);
        return complete;
      },
    });
    const streamed = await handler(requestOf());
    expect(await streamed.text()).toContain('"result"');
    const answered = await handler(requestOf({ headers: { ...headers, accept: "application/json" } }));
    expect(answered.headers.get("content-type")).toBe("application/json");
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

it("a caller whose token nobody comes to verify is answered in time, and gives its place back", async () => {
  const authenticator = { ...createKeyAuthenticator([]), authenticate: () => new Promise<never>(() => {}) };
  const handler = createFetchHandler(
    { dispatch: async () => complete, authenticator },
    { requestTimeoutMs: 20, maxConcurrentRequests: 1 },
  );
  for (let count = 0; count < 2; count += 1) {
    expect(await (await handler(requestOf())).json()).toMatchObject({
      error: { message: expect.stringContaining("20 ms") },
    });
  }
});

it("a client that leaves in the middle of its body is nothing for the log", async () => {
  const onError = vi.fn();
  const controller = new AbortController();
  const body = new ReadableStream({
    pull(stream) {
      controller.abort();
      stream.error(controller.signal.reason);
    },
  });
  const handler = createFetchHandler({ dispatch: async () => complete }, { onError });
  expect((await handler(requestOf({ body, duplex: "half", signal: controller.signal }))).status).toBe(499);
  expect(onError).not.toHaveBeenCalled();
});
