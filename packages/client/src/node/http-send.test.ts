import { afterEach, expect, test, vi } from "vitest";
import { createGate } from "../http/testing/gate.ts";
import { type Answer, type HttpServer, openStream, sendJson, startHttpServer } from "../http/testing/http-server.ts";
import { createNodeSend, type NodeSendOptions } from "./http-send.ts";

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
