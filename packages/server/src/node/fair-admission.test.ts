// One caller or address with many open requests takes nothing from others: dead connections, slow bodies, streams.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type Caller, type JsonObject, MemoryBudget, type Result } from "@lethe/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { createKeyAuthenticator } from "../auth/key-authenticator.ts";
import type { Servable } from "../http/servable.ts";
import { holdDispatch } from "../testing/held-dispatch.ts";
import { callOf, requestOf } from "../testing/messages.ts";
import { type ServeOptions, type Serving, serve } from "./serve.ts";

const complete: Result = { resultType: "complete", content: [] };
const authenticator = createKeyAuthenticator([
  { id: "alice", key: "alice-key-0123456789" },
  { id: "bob", key: "bob-key-0123456789" },
]);
const body = JSON.stringify(callOf());

let serving: Serving;
let sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await serving.close({ graceMs: 0 });
});

interface Peer {
  key?: string;
  /** The loopback address that the peer calls from. */
  from?: string;
  headers?: Record<string, string>;
}

const alice: Peer = { key: "alice-key-0123456789" };
const bob: Peer = { key: "bob-key-0123456789" };

async function start(servable: Partial<Servable>, options: ServeOptions): Promise<void> {
  serving = await serve(
    { dispatch: async () => complete, ...servable },
    { port: 0, bodyTimeoutMs: 600_000, ...options },
  );
}

function headOf({ key, headers = {} }: Peer, length: number, method: unknown = "tools/call"): string {
  const lines = [
    "POST /mcp HTTP/1.1",
    "Host: localhost",
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    "MCP-Protocol-Version: 2026-07-28",
    `Mcp-Method: ${method}`,
    ...(method === "tools/call" ? ["Mcp-Name: add"] : []),
    ...(key === undefined ? [] : [`Authorization: Bearer ${key}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${length}`,
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

async function dial(text: string, { from = "127.0.0.1" }: Peer): Promise<Socket> {
  const socket = connect({ port: serving.port, host: "127.0.0.1", localAddress: from });
  sockets.push(socket);
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(text);
  return socket;
}

/** Sends a head and the first byte of a body, and no more. */
function beginBody(peer: Peer): Promise<Socket> {
  return dial(`${headOf(peer, body.length)}{`, peer);
}

async function post(peer: Peer, message: JsonObject = callOf()): Promise<{ status: number; text: string }> {
  const { method } = message;
  const text = JSON.stringify(message);
  const socket = await dial(headOf(peer, text.length, method) + text, peer);
  let received = "";
  for await (const chunk of socket) {
    received += chunk;
    if (received.includes("\r\n\r\n")) break;
  }
  return { status: Number(received.slice(9, 12)), text: received };
}

/** Reads everything up to the end of a short response. */
async function readAll(socket: Socket): Promise<string> {
  let received = "";
  for await (const chunk of socket) {
    received += chunk;
    if (received.endsWith("}")) break;
  }
  return received;
}

/** Repeats a request until its answer has the status, for changes that the server notices with a delay. */
async function untilStatus(status: number, peer: Peer): Promise<void> {
  await expect.poll(async () => (await post(peer)).status, { timeout: 10_000 }).toBe(status);
}

describe("connections that die", () => {
  it("release the slot of a request that is reset before its caller is known", async () => {
    const waiting: ((caller: Caller) => void)[] = [];
    await start(
      {
        authenticator: {
          ...authenticator,
          authenticate: (authorization) =>
            authorization?.includes("alice")
              ? new Promise((resolve) => waiting.push(resolve))
              : authenticator.authenticate(authorization),
        },
      },
      { maxConcurrentRequests: 2, maxReceivingRequests: 2 },
    );
    const lost = [await beginBody(alice), await beginBody(alice)];
    await expect.poll(() => waiting.length).toBe(2);
    for (const socket of lost) socket.resetAndDestroy();
    await untilStatus(200, bob);
    for (const resolve of waiting) resolve({ id: "key alice" });
    for (let count = 0; count < 3; count += 1) expect((await post(bob)).status).toBe(200);
  });

  it("release the slot of a request that is reset in the middle of its body", async () => {
    await start({ authenticator }, { maxConcurrentRequests: 2, maxReceivingRequests: 2 });
    for (let round = 0; round < 5; round += 1) (await beginBody(alice)).resetAndDestroy();
    await untilStatus(200, alice);
    await untilStatus(200, bob);
  });

  it("release the slot of an anonymous request", async () => {
    await start({}, { maxConcurrentRequests: 2, maxReceivingRequests: 2 });
    for (let round = 0; round < 5; round += 1) (await beginBody({})).resetAndDestroy();
    await untilStatus(200, {});
  });
});

describe("slow bodies", () => {
  it("of one caller leave half of the slots to the other callers, also at the same address", async () => {
    await start({ authenticator }, { maxReceivingRequests: 8 });
    for (let count = 0; count < 8; count += 1) await beginBody(alice);
    // Until a caller is known, its requests count for the address.
    await expect
      .poll(async () => (await post(alice)).text, { timeout: 10_000 })
      .toMatch(/retry-after: 1\r\n[\s\S]*"code":-32603,"message":"busy: this caller has 4 /i);
    expect((await post(bob)).status).toBe(200);
  });

  it("of one address leave a fifth of the slots to the other addresses", async () => {
    await start({}, { maxReceivingRequests: 10 });
    for (let count = 0; count < 12; count += 1) await beginBody({ from: "127.0.0.2" });
    await untilStatus(429, { from: "127.0.0.2" });
    expect((await post({ from: "127.0.0.3" })).status).toBe(200);
  });

  it("take no slot of requests that run", async () => {
    await start({}, { maxConcurrentRequests: 1 });
    for (let count = 0; count < 3; count += 1) await beginBody({ from: "127.0.0.2" });
    expect((await post({ from: "127.0.0.3" })).status).toBe(200);
    expect((await post({ from: "127.0.0.2" })).status).toBe(200);
  });

  it("of many addresses that take all slots are replaced by new requests, the slowest first", async () => {
    // The clock of the handler ticks every 10 ms.
    await start({}, { maxReceivingRequests: 2, keepAliveMs: 40 });
    const slow = [await beginBody({ from: "127.0.0.2" }), await beginBody({ from: "127.0.0.3" })];
    const [first, second] = slow.map(readAll);
    await untilStatus(503, { from: "127.0.0.4" });
    await untilStatus(200, { from: "127.0.0.4" });
    expect(await first).toMatch(/^HTTP\/1.1 503 [\s\S]*Connection: close[\s\S]*the body arrives too slowly/);
    slow[1]?.write(body.slice(1));
    expect(await second).toMatch(/^HTTP\/1.1 200 /);
  });

  it("answer 503 to others while all slots are taken by bodies that are not slow", async () => {
    await start({}, { maxReceivingRequests: 1 });
    await beginBody({ from: "127.0.0.2" });
    await untilStatus(503, { from: "127.0.0.3" });
  });
});

describe("running requests", () => {
  it("of one caller leave slots to the other callers", async () => {
    const held = holdDispatch();
    let running = 0;
    await start(
      {
        authenticator,
        dispatch(request, exchange) {
          if (exchange.caller?.id === "key bob") return Promise.resolve(complete);
          running += 1;
          return held.dispatch(request, exchange);
        },
      },
      { maxConcurrentRequests: 4 },
    );
    for (let count = 0; count < 2; count += 1) await dial(headOf(alice, body.length) + body, alice);
    // A request that overtook them would wait for a response.
    await expect.poll(() => running, { timeout: 10_000 }).toBe(2);
    await untilStatus(429, alice);
    expect((await post(bob)).status).toBe(200);
    held.finish();
  });

  it("of one caller are limited to a configured number", async () => {
    const held = holdDispatch();
    await start({ authenticator, dispatch: held.dispatch }, { maxConcurrentPerCaller: 1 });
    await dial(headOf(alice, body.length) + body, alice);
    await held.exchange;
    expect((await post(alice)).text).toContain("this caller has 1 of at most 1 ");
    held.finish();
  });
});

describe("streams", () => {
  const listen: JsonObject = requestOf("subscriptions/listen", { notifications: {} });

  it("of one caller leave slots to the other callers", async () => {
    const held = holdDispatch();
    let running = 0;
    await start(
      {
        authenticator,
        dispatch(request, exchange) {
          if (exchange.caller?.id === "key bob") return Promise.resolve(complete);
          running += 1;
          return held.dispatch(request, exchange);
        },
      },
      { maxStreams: 4 },
    );
    const text = JSON.stringify(listen);
    for (let count = 0; count < 2; count += 1) await dial(headOf(alice, text.length, listen.method) + text, alice);
    await expect.poll(() => running, { timeout: 10_000 }).toBe(2);
    await expect.poll(async () => (await post(alice, { ...listen })).status).toBe(429);
    expect((await post(bob, { ...listen })).status).toBe(200);
    held.finish();
  });
});

describe("a trusted proxy", () => {
  const proxy = "127.0.0.9";
  const through = (client: string, from = proxy): Peer => ({ from, headers: { "X-Forwarded-For": client } });

  it("names the client address that a request counts for", async () => {
    await start({}, { maxReceivingPerAddress: 1, trustProxy: ["127.0.0.9/32"] });
    await beginBody(through("203.0.113.1"));
    await untilStatus(429, through("203.0.113.1"));
    expect((await post(through("203.0.113.2"))).status).toBe(200);
    expect((await post(through("203.0.113.1, 203.0.113.2"))).status).toBe(200);
    expect((await post(through("203.0.113.2, 203.0.113.1"))).status).toBe(429);
  });

  it("is trusted only at a configured address", async () => {
    await start({}, { maxReceivingPerAddress: 1, trustProxy: ["127.0.0.9"] });
    await beginBody({ from: "127.0.0.2" });
    await untilStatus(429, through("203.0.113.2", "127.0.0.2"));
  });
});

describe("large requests", () => {
  const mega = 1024 * 1024;
  const large = { ...callOf(), padding: "x".repeat(mega / 4) };

  it("of one caller leave memory to the other callers, and give it back when they end", async () => {
    const memory = new MemoryBudget(16 * mega);
    let finish: () => void = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const dispatch = async (_request: unknown, exchange: { caller?: Caller | undefined }): Promise<Result> => {
      if (exchange.caller?.id === "key alice") await finished;
      return complete;
    };
    await start({ authenticator, dispatch }, { memory });
    const answers: Promise<{ status: number; text: string }>[] = [];
    for (let count = 0; count < 40; count += 1) {
      const before = memory.heldBytes;
      const answer = post(alice, large);
      answers.push(answer);
      const isRefused = answer.then(({ status }) => status === 429);
      const isHeld = expect.poll(() => memory.heldBytes > before, { timeout: 10_000 }).toBe(true);
      await Promise.race([isRefused, isHeld.catch(() => {})]);
    }
    expect(memory.heldBytes).toBeLessThanOrEqual(memory.softBytes / 2);
    expect((await post(bob, large)).status).toBe(200);
    finish();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect([...new Set(statuses)].sort()).toEqual([200, 429]);
    await expect.poll(() => memory.heldBytes).toBe(0);
    expect((await post(alice, large)).status).toBe(200);
  });
});
