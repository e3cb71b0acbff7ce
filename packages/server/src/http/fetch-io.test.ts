// What is particular to the fetch handler: objects that a platform makes on demand, and timers.
import type { Result } from "@lethe/protocol";
import { expect, it, vi } from "vitest";
import { createKeyAuthenticator } from "../auth/key-authenticator.ts";
import { callOf, progress, version } from "../testing/messages.ts";
import { createFetchHandler } from "./fetch-handler.ts";

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

it("a plain call reads neither the signal nor the body stream of its request, which cost more than the call", async () => {
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

it("a client that left early is noticed as soon as the signal is read (B-20)", async () => {
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

it("a request whose token is never verified times out and releases its slot", async () => {
  const authenticator = { ...createKeyAuthenticator([]), authenticate: () => new Promise<never>(() => {}) };
  const handler = createFetchHandler(
    { dispatch: async () => complete, authenticator },
    { requestTimeoutMs: 20, maxReceivingRequests: 1 },
  );
  for (let count = 0; count < 2; count += 1) {
    expect(await (await handler(requestOf())).json()).toMatchObject({
      error: { message: expect.stringContaining("20 ms") },
    });
  }
});

it("a client that leaves in the middle of its body is not logged", async () => {
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

/** A body that never ends, and the stream that sends it. */
function openBody(): { init: RequestInit; fail(): void } {
  let source: ReadableStreamDefaultController | undefined;
  const body = new ReadableStream({
    start(controller) {
      source = controller;
      controller.enqueue(new TextEncoder().encode("{"));
    },
  });
  return { init: { body, duplex: "half" } as RequestInit, fail: () => source?.error(new Error("connection reset")) };
}

it("a request whose body fails releases its slot", async () => {
  const handler = createFetchHandler({ dispatch: async () => complete }, { maxReceivingRequests: 1, onError() {} });
  const lost = openBody();
  const first = handler(requestOf(lost.init));
  expect((await handler(requestOf())).status).toBe(503);
  lost.fail();
  await first;
  expect((await handler(requestOf())).status).toBe(200);
});

it("an address with its share of slow bodies is rejected, and no other address", async () => {
  const clientAddress = (request: Request): string | undefined => request.headers.get("x-test-address") ?? undefined;
  const from = (address: string, init: RequestInit = {}): Request =>
    requestOf({ ...init, headers: { ...headers, "x-test-address": address } });
  const handler = createFetchHandler({ dispatch: async () => complete }, { maxReceivingRequests: 10, clientAddress });
  const slow = Array.from({ length: 8 }, () => openBody());
  for (const { init } of slow) void handler(from("203.0.113.1", init));
  expect((await handler(from("203.0.113.1"))).status).toBe(429);
  expect((await handler(from("203.0.113.2"))).status).toBe(200);
});

it("a caller with its share of slow bodies is rejected, and no other caller", async () => {
  const authenticator = createKeyAuthenticator([
    { id: "alice", key: "alice-key-0123456789" },
    { id: "bob", key: "bob-key-0123456789" },
  ]);
  const by = (name: string, init: RequestInit = {}): Request =>
    requestOf({ ...init, headers: { ...headers, authorization: `Bearer ${name}-key-0123456789` } });
  const handler = createFetchHandler({ dispatch: async () => complete, authenticator }, { maxReceivingRequests: 4 });
  void handler(by("alice", openBody().init));
  void handler(by("alice", openBody().init));
  await vi.waitUntil(async () => (await handler(by("alice"))).status === 429);
  expect((await handler(by("bob"))).status).toBe(200);
});

it("a new request replaces the slowest body when all slots are taken, and the replaced request never runs", async () => {
  vi.useFakeTimers();
  try {
    const dispatch = vi.fn(async () => complete);
    const handler = createFetchHandler({ dispatch }, { maxReceivingRequests: 1 });
    let source: ReadableStreamDefaultController | undefined;
    const slow = new ReadableStream({
      start(controller) {
        source = controller;
      },
    });
    const first = handler(requestOf({ body: slow, duplex: "half" }));
    expect((await handler(requestOf())).status).toBe(503);
    vi.setSystemTime(Date.now() + 1_000);
    expect((await handler(requestOf())).status).toBe(200);
    expect((await first).status).toBe(503);
    source?.enqueue(new TextEncoder().encode(text));
    source?.close();
    await vi.advanceTimersByTimeAsync(0);
    expect((await handler(requestOf())).status).toBe(200);
    expect(dispatch).toHaveBeenCalledTimes(2);
  } finally {
    vi.useRealTimers();
  }
});
