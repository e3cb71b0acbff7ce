import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { createGate } from "../http/testing/gate.ts";
import { type Answer, type HttpServer, openStream, sendJson, startHttpServer } from "../http/testing/http-server.ts";
import { isUnsent, toTransportError } from "../http/to-transport-error.ts";
import { maxWaitingCharacters } from "./body-reader.ts";
import { createNodeSend, type NodeSendOptions } from "./http-send.ts";
import type { NodeAnswer } from "./node-answer.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(answer: Answer, options?: NodeSendOptions) {
  const http: HttpServer = await startHttpServer(answer);
  const { send, close } = createNodeSend(options);
  closers.push(() => http.close(), close);
  const post = (body = "{}", signal?: AbortSignal) =>
    send({ url: http.url, method: "POST", headers: {}, body, signal });
  return { http, send, post, close };
}

test("content-length counts the bytes of the body, and the host is named", async () => {
  const { http, post } = await start((_received, response) => sendJson(response, "ü"));
  const answer = await post('{"a":"ü"}');
  expect(await answer.text(100)).toBe('"ü"');
  expect(http.received[0]?.headers).toMatchObject({ "content-length": "10", host: http.url.host });
});

test("a request with a host header is refused and not sent, since it would decide whose certificate is accepted", async () => {
  const { http, send } = await start((_received, response) => sendJson(response, 1));
  const headers = { Host: "other.example" };
  const sent = send({ url: http.url, method: "POST", headers, body: "{}" });
  await expect(sent).rejects.toThrow(new TypeError("the header Host cannot be set: the URL decides on it"));
  expect(await http.sockets()).toBe(0);
});

test.each([
  [{ maxSockets: 0 }, "maxSockets: a positive integer expected, got 0"],
  [{ maxSockets: 1.5 }, "maxSockets: a positive integer expected, got 1.5"],
  [{ maxSockets: "9" as never }, 'option "maxSockets": a number expected, got a string'],
  [{ keepAliveMs: Number.NaN }, "keepAliveMs: a number of ms expected, got NaN"],
  [{ keepAliveMs: -1 }, "keepAliveMs: a number of ms expected, got -1"],
])("the options %o are refused", (options, problem) => {
  expect(() => createNodeSend(options)).toThrow(`createNodeSend: ${problem}`);
});

test("one socket serves one request after the other until it is closed", async () => {
  const { http, post, close } = await start((_received, response) => sendJson(response, 1));
  for (let i = 0; i < 5; i++) await (await post()).text(100);
  expect(await http.sockets()).toBe(1);
  close();
  await vi.waitFor(async () => expect(await http.sockets()).toBe(0));
});

test("an idle socket is closed before the server would close it", async () => {
  const { http, post } = await start((_received, response) => sendJson(response, 1), { keepAliveMs: 20 });
  await (await post()).text(100);
  await vi.waitFor(async () => expect(await http.sockets()).toBe(0));
});

test("sockets are bounded, and further requests wait", async () => {
  const { http, post } = await start((_received, response) => sendJson(response, 1), { maxSockets: 2 });
  await Promise.all(Array.from({ length: 8 }, async () => (await post()).text(100)));
  expect(http.received).toHaveLength(8);
  expect(await http.sockets()).toBe(2);
});

test("event streams that last keep no request waiting, and the connections for requests stay bounded", async () => {
  const streams: (() => void)[] = [];
  const { http, send, post } = await start(
    ({ headers }, response) => {
      if (headers["content-length"] === "2") sendJson(response, 1);
      else streams.push(() => response.end());
      if (headers["content-length"] !== "2") openStream(response).message({});
    },
    { maxSockets: 1 },
  );
  const lasting = () => send({ url: http.url, method: "POST", headers: {}, body: "{ }", isLasting: true });
  const answers = await Promise.all([lasting(), lasting(), lasting()]);
  await Promise.all([1, 2, 3].map(async () => (await post()).text(100)));
  expect(await http.sockets()).toBe(4);
  for (const end of streams) end();
  for (const answer of answers) await answer.text(1_000);
  await vi.waitFor(async () => expect(await http.sockets()).toBe(1));
});

test("a character that is split between two chunks stays intact", async () => {
  const { post } = await start((_received, response) => {
    const [first, ...rest] = Buffer.from("ü");
    response.writeHead(200).write(Buffer.from([first as number]), () => response.end(Buffer.from(rest)));
  });
  const chunks = (await post()).chunks();
  let text = "";
  for (let part = await chunks.next(); !part.done; part = await chunks.next()) text += part.value;
  expect(text).toBe("ü");
});

test("a reader that stops early closes the socket", async () => {
  const closed = createGate();
  const { post } = await start((_received, response) => {
    openStream(response).message({});
    response.on("close", closed.open);
  });
  const chunks = (await post()).chunks();
  expect((await chunks.next()).value).toContain("data:");
  await chunks.return?.();
  await closed.opened;
});

test("a body above its limit closes the socket", async () => {
  const closed = createGate();
  const { post } = await start((_received, response) => {
    response.on("close", closed.open);
    response.writeHead(200).write("x".repeat(1000));
  });
  await expect((await post()).text(999)).rejects.toMatchObject({ reason: "too_large" });
  await closed.opened;
});

test("discarding a long body closes its socket, and discarding a short one keeps the socket", async () => {
  const closed = createGate();
  const { http, post } = await start(({ headers }, response) => {
    response.writeHead(200).write("x");
    if (headers["content-length"] === "2") response.end();
    else response.on("close", closed.open);
  });
  (await post()).discard();
  (await post()).discard();
  await vi.waitFor(async () => expect(await http.sockets()).toBeLessThanOrEqual(2));
  (await post("{ }")).discard();
  await closed.opened;
});

test("a signal cancels a request before, during and after the response head", async () => {
  const { post } = await start(({ headers }, response) => {
    if (headers["content-length"] === "2") openStream(response).message({});
  });
  await expect(post("{}", AbortSignal.abort("before"))).rejects.toBe("before");
  const during = new AbortController();
  const waiting = post("{ }", during.signal);
  during.abort(new Error("during"));
  await expect(waiting).rejects.toThrow("during");
  const after = new AbortController();
  const answer = await post("{}", after.signal);
  const text = answer.text(1000);
  after.abort(new Error("after"));
  await expect(text).rejects.toThrow("after");
  await expect(answer.text(1000)).rejects.toThrow("after");
});

test("a signal that outlives its requests keeps no listener", async () => {
  const { signal } = new AbortController();
  const add = vi.spyOn(signal, "addEventListener");
  const remove = vi.spyOn(signal, "removeEventListener");
  const { post } = await start((_received, response) => sendJson(response, 1));
  await (await post("{}", signal)).text(100);
  await vi.waitFor(() => expect(remove).toHaveBeenCalledTimes(add.mock.calls.length));
});

/** Answers each request on a connection with `answers` in turn, and closes the connection after the last one. */
async function startRaw(...answers: string[]) {
  const received: string[] = [];
  const server = createServer((socket) => {
    let count = 0;
    socket.on("data", (part) => {
      received.push(String(part));
      const answer = answers[count++];
      if (answer === undefined) socket.destroy();
      else socket.write(answer);
    });
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => server.close());
  const { send, close } = createNodeSend();
  closers.push(close);
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  const post = () => send({ url, method: "POST", headers: {}, body: "{}" });
  return { server, received, post };
}

/** Answers with a body that ends with its connection. `end` ends it. */
async function startUnbounded(body: string) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.once("data", () => socket.write(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${body}`));
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { send, close } = createNodeSend();
  closers.push(() => server.close(), close);
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  const answer = await send({ url, method: "POST", headers: {}, body: "{}" });
  return { answer, socket: sockets[0] as Socket };
}

const ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";

test("a request whose kept connection closes while it is sent fails and is not repeated", async () => {
  const { post, received } = await startRaw(ok);
  expect(await (await post()).text(100)).toBe("{}");
  const error = toTransportError("tools/call to s", await post().catch((thrown: unknown) => thrown));
  expect(error).toMatchObject({ reason: "lost", message: "tools/call to s: the connection broke: socket hang up" });
  expect(isUnsent(error)).toBe(false);
  expect(received.join("").match(/POST/g)).toHaveLength(2);
});

test("a request uses a new connection if the server has closed the idle one", async () => {
  const { http, post } = await start((_received, response) => sendJson(response, 1));
  await (await post()).text(100);
  http.closeIdle();
  await http.untilNoSockets();
  expect(await (await post()).text(100)).toBe("1");
  expect(http.received).toHaveLength(2);
});

test("a port that nothing listens on is an error that the request was not sent", async () => {
  const { server, post } = await startRaw();
  await new Promise((resolve) => server.close(resolve));
  const error = toTransportError("tools/call to s", await post().catch((thrown: unknown) => thrown));
  expect(error.message).toMatch(/the server cannot be reached: connect ECONNREFUSED 127\.0\.0\.1:\d+/);
  expect(isUnsent(error)).toBe(true);
});

test("an answer that is not HTTP is an error that says so", async () => {
  const { post } = await startRaw("SSH-2.0-x\r\n");
  const error = toTransportError("tools/call to s", await post().catch((thrown: unknown) => thrown));
  expect(error).toMatchObject({ reason: "lost", message: expect.stringContaining("not match the HTTP/1.1 protocol") });
});

test("a status 101 that was not asked for is a broken connection", async () => {
  const { post } = await startRaw("HTTP/1.1 101 Switching Protocols\r\n\r\n");
  const error = toTransportError("tools/call to s", await post().catch((thrown: unknown) => thrown));
  expect(error).toMatchObject({ reason: "lost", message: "tools/call to s: the connection broke: socket hang up" });
});

test("a status 100 that was not asked for is a broken connection, since undici accepts none", async () => {
  const { post } = await startRaw(`HTTP/1.1 100 Continue\r\n\r\n${ok}`);
  const error = toTransportError("tools/call to s", await post().catch((thrown: unknown) => thrown));
  expect(error).toMatchObject({ reason: "lost", message: "tools/call to s: the connection broke: bad response" });
});

test("a body without a length is complete if its connection ends while a slow reader has paused it", async () => {
  const { answer, socket } = await startUnbounded("x".repeat(maxWaitingCharacters));
  await vi.waitFor(() => expect((answer as NodeAnswer).isPaused).toBe(true));
  socket.end();
  await once(socket, "close");
  expect(await answer.text(100_000)).toHaveLength(maxWaitingCharacters);
});

test("a body without a length is broken if its connection is reset while a slow reader has paused it", async () => {
  const { answer, socket } = await startUnbounded("x".repeat(maxWaitingCharacters));
  await vi.waitFor(() => expect((answer as NodeAnswer).isPaused).toBe(true));
  socket.resetAndDestroy();
  await vi.waitFor(() => expect((answer as NodeAnswer).isPaused).toBe(false));
  await expect(answer.text(100_000)).rejects.toMatchObject({ code: "ECONNRESET", message: "socket hang up" });
});

test("a signal cancels a request that waits for a connection, and the next one takes its turn", async () => {
  const first = createGate();
  const { http, post } = await start(
    async ({ headers }, response) => {
      if (headers["content-length"] === "2") await first.opened;
      sendJson(response, 1);
    },
    { maxSockets: 1 },
  );
  const busy = post("{}");
  const canceller = new AbortController();
  const cancelled = post("{ }", canceller.signal);
  const next = post("{  }");
  canceller.abort(new Error("cancelled"));
  await expect(cancelled).rejects.toThrow("cancelled");
  first.open();
  await (await busy).text(100);
  await (await next).text(100);
  expect(http.received.map(({ headers }) => headers["content-length"])).toEqual(["2", "4"]);
});

test("the next waiting request gets a new connection after one failed", async () => {
  const { http, post } = await start(
    ({ headers }, response) => {
      if (headers["content-length"] === "2") response.destroy();
      else sendJson(response, 1);
    },
    { maxSockets: 1 },
  );
  const broken = post("{}");
  const next = post("{ }");
  await expect(broken).rejects.toMatchObject({ code: "ECONNRESET" });
  expect(await (await next).text(100)).toBe("1");
  expect(await http.sockets()).toBe(1);
});

test("thousands of waiting requests that undici refuses fail one by one, and the next valid one is sent", async () => {
  const arrived = createGate();
  const release = createGate();
  const { http, send, post } = await start(
    async (_received, response) => {
      arrived.open();
      await release.opened;
      sendJson(response, 1);
    },
    { maxSockets: 1 },
  );
  const busy = post();
  await arrived.opened;
  const refuse = () => send({ url: http.url, method: "POST", headers: { a: "b\n" }, body: "{}" });
  const refused = Promise.allSettled(Array.from({ length: 3_000 }, refuse));
  const valid = post();
  release.open();
  await (await busy).text(100);
  expect((await refused).map(({ status }) => status)).not.toContain("fulfilled");
  expect(await (await valid).text(100)).toBe("1");
});

test("closing ends running and waiting requests and all sockets", async () => {
  const arrived = createGate();
  const { http, post, close } = await start(() => arrived.open(), { maxSockets: 1 });
  const ended = Promise.allSettled([post(), post()]);
  await arrived.opened;
  close();
  expect((await ended).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await http.untilNoSockets();
});

test("closing ends a request that still loads undici, and later requests are sent", async () => {
  const { http } = await start((_received, response) => sendJson(response, 1));
  vi.resetModules();
  const fresh = await import("./http-send.ts");
  const { send, close } = fresh.createNodeSend();
  closers.push(close);
  const post = () => send({ url: http.url, method: "POST", headers: {}, body: "{}" });
  const loading = post();
  close();
  await expect(loading).rejects.toThrow("the connections were closed");
  expect(http.received).toHaveLength(0);
  expect(await (await post()).text(100)).toBe("1");
});
