// Tests of the recording proxy with real clients and servers.
import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, expect, it } from "vitest";
import { type HttpRecorder, type RecordHttpOptions, recordHttp } from "./record-http.ts";

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function record(
  handler: (req: IncomingMessage, res: ServerResponse) => void,
  options: Partial<RecordHttpOptions> = {},
): Promise<{ recorder: HttpRecorder; origin: string }> {
  const server: Server = createServer(handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let time = 0;
  const recorder = await recordHttp({ to: new URL(origin), now: () => ++time, maxBodyBytes: 1_000, ...options });
  open.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  open.push(() => recorder.close());
  return { recorder, origin };
}

it("recordHttp records a request and its response unchanged and sends the server its own name in Host", async () => {
  let host: string | undefined;
  const { recorder, origin } = await record((req, res) => {
    host = req.headers.host;
    res.setHeader("X-Answer", "1");
    req.pipe(res);
  });
  const answer = await fetch(`${recorder.origin}/mcp?a=1`, {
    method: "POST",
    headers: { "X-Ask": "2" },
    body: "Łukasz 🦦",
  });
  expect(await answer.text()).toBe("Łukasz 🦦");
  expect(`http://${host}`).toBe(origin);
  await recorder.close();
  const [exchange] = recorder.exchanges;
  expect(exchange).toMatchObject({
    number: 1,
    connection: 1,
    request: { verb: "POST", target: "/mcp?a=1", body: "Łukasz 🦦" },
    response: { status: 200, body: "Łukasz 🦦" },
  });
  expect(exchange?.request.headers).toContainEqual(["host", new URL(recorder.origin).host]);
  expect(exchange?.response?.headers).toContainEqual(["X-Answer", "1"]);
  expect(exchange?.isCut).toBeUndefined();
});

it("recordHttp records which TCP connection each request used", async () => {
  const { recorder } = await record((_req, res) => res.end("x"));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (const path of ["/a", "/b"]) {
    const [answer] = (await once(request(recorder.origin + path, { agent }).end(), "response")) as [IncomingMessage];
    await text(answer);
  }
  agent.destroy();
  await fetch(`${recorder.origin}/c`, { headers: { connection: "close" } });
  expect(recorder.exchanges.map(({ connection }) => connection)).toEqual([1, 1, 2]);
});

it("recordHttp records each event of a stream, even if the client aborts the stream", async () => {
  const { recorder } = await record((_req, res) => {
    res.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    res.write('id: 7\ndata: {"a":1}\n\n: keep-alive\n\nevent: endpoint\nda');
    setImmediate(() => res.write("ta: /messages\n\n"));
  });
  const stop = new AbortController();
  const answer = await fetch(recorder.origin, { signal: stop.signal });
  const reader = answer.body?.getReader();
  let seen = "";
  while (!seen.includes("/messages")) seen += Buffer.from((await reader?.read())?.value ?? []).toString();
  stop.abort();
  await recorder.close();
  const [exchange] = recorder.exchanges;
  const [first, second] = exchange?.response?.events ?? [];
  expect(first).toMatchObject({ event: "message", id: "7", data: '{"a":1}' });
  expect(second).toMatchObject({ event: "endpoint", data: "/messages" });
  expect(exchange?.response?.body).toBe("");
  expect(exchange?.isCut).toBe(true);
});

it("recordHttp forwards a large body completely and keeps its first maxBodyBytes", async () => {
  const { recorder } = await record((req, res) => req.pipe(res));
  const answer = await fetch(recorder.origin, { method: "POST", body: "x".repeat(5_000) });
  expect((await answer.text()).length).toBe(5_000);
  expect(recorder.exchanges[0]?.request.body.length).toBe(1_000);
  expect(recorder.exchanges[0]?.request.bodyBytes).toBe(5_000);
});

it("recordHttp keeps the events of a stream up to the first event above maxBodyBytes and adds a remark", async () => {
  const { recorder } = await record((_req, res) => {
    res.writeHead(200, { "content-type": "text/event-stream" });
    for (let event = 0; event < 10; event += 1) res.write(`data: ${"x".repeat(500)}\n\n`);
    res.end(`data: ${"y".repeat(2_000)}\n\ndata: z\n\n`);
  });
  expect(await (await fetch(recorder.origin)).text()).toMatch(/z\n\n$/);
  const { events, bodyBytes } = recorder.exchanges[0]?.response ?? {};
  expect(events?.filter(({ data }) => data.length === 500)).toHaveLength(10);
  expect(events).toHaveLength(10);
  expect(bodyBytes).toBeGreaterThan(7_000);
  expect(recorder.remarks).toEqual([expect.stringContaining("the rest of an event stream is only counted")]);
});

it("recordHttp forwards and counts bodies beyond maxKeptBytes without keeping them", async () => {
  const { recorder } = await record((req, res) => req.pipe(res), { maxKeptBytes: 1_500 });
  for (const letter of ["a", "b"]) {
    const answer = await fetch(recorder.origin, { method: "POST", body: letter.repeat(600) });
    expect(await answer.text()).toHaveLength(600);
  }
  const [first, second] = recorder.exchanges;
  expect([first?.request.body.length, first?.response?.body.length]).toEqual([600, 600]);
  expect([second?.request.body.length, second?.response?.body.length]).toEqual([300, 0]);
  expect(second?.response?.bodyBytes).toBeGreaterThanOrEqual(600);
  expect(recorder.remarks).toEqual([expect.stringContaining("the recording is full")]);
});

it("recordHttp counts the decompressed size of a body against maxKeptBytes", async () => {
  const packed = gzipSync("x".repeat(900));
  const { recorder } = await record((_req, res) => res.writeHead(200, { "content-encoding": "gzip" }).end(packed), {
    maxKeptBytes: 1_000,
  });
  for (const _turn of [1, 2]) await (await fetch(recorder.origin)).text();
  await recorder.close();
  expect(recorder.exchanges.map(({ response }) => response?.body.length)).toEqual([900, 0]);
  expect(recorder.remarks).toEqual([expect.stringContaining("a compressed body is only counted")]);
});

it("recordHttp keeps maxExchanges requests, forwards the rest and adds a remark", async () => {
  const { recorder } = await record((req, res) => res.end(req.url), { maxExchanges: 1 });
  for (const path of ["/a", "/b"]) expect(await (await fetch(recorder.origin + path)).text()).toBe(path);
  expect(recorder.exchanges.map(({ request: { target } }) => target)).toEqual(["/a"]);
  expect(recorder.remarks).toEqual(["only the first 1 requests are kept"]);
});

it("recordHttp does not record 103 Early Hints as the response", async () => {
  const { recorder } = await record((_req, res) => {
    res.writeEarlyHints({ link: "</x>; rel=preload" }, () => res.writeHead(201).end("made"));
  });
  expect(await (await fetch(recorder.origin)).text()).toBe("made");
  expect(recorder.exchanges).toMatchObject([{ response: { status: 201, body: "made" } }]);
});

it.each([
  ["gzip", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
])("recordHttp forwards a body compressed with %s unchanged and keeps its text", async (coding, pack) => {
  const packed = pack("Łukasz 🦦".repeat(20));
  const { recorder } = await record((_req, res) => res.writeHead(200, { "content-encoding": coding }).end(packed));
  expect(await (await fetch(recorder.origin)).text()).toBe("Łukasz 🦦".repeat(20));
  const { response } = recorder.exchanges[0] ?? {};
  expect(response?.body).toBe("Łukasz 🦦".repeat(20));
  // As it crossed: with the framing of one chunk.
  expect(response?.bodyBytes).toBeLessThan(packed.length + 20);
});

it.each([
  ["that is too large when decompressed", "gzip", gzipSync("x".repeat(5_000)), "larger than 1000 bytes"],
  ["that is invalid", "gzip", Buffer.from("plain"), "incorrect header check"],
  ["with an unknown coding", "zstd", Buffer.from("packed"), undefined],
])("recordHttp only counts a compressed body %s", async (_name, coding, packed, remark) => {
  const { recorder } = await record((_req, res) => res.writeHead(200, { "content-encoding": coding }).end(packed));
  await fetch(recorder.origin).then((answer) => answer.text().catch(() => ""));
  await recorder.close();
  const { response } = recorder.exchanges[0] ?? {};
  expect(response?.body).toBe("");
  expect(response?.bodyBytes).toBeGreaterThanOrEqual(packed.length);
  expect(recorder.remarks).toEqual(remark === undefined ? [] : [expect.stringMatching(remark)]);
});

it("recordHttp closes the connection to the server when the client closes its own", async () => {
  let hear: () => void = () => {};
  const gone = new Promise<void>((resolve) => {
    hear = resolve;
  });
  const { recorder } = await record((req) => void req.socket.once("end", hear));
  connect(Number(new URL(recorder.origin).port), "127.0.0.1").end("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await gone;
});

it("recordHttp refuses connections beyond maxConnections", async () => {
  const { recorder } = await record(() => {}, { maxConnections: 1 });
  const port = Number(new URL(recorder.origin).port);
  const [first, second] = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")];
  await once(second, "close");
  expect(first.destroyed).toBe(false);
  first.destroy();
});

it("recordHttp delivers a large response completely to a slow client", async () => {
  const size = 8 * 1024 * 1024;
  const { recorder } = await record((_req, res) => res.end(Buffer.alloc(size, "x")));
  const socket = connect(Number(new URL(recorder.origin).port), "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  let bytes = 0;
  for await (const chunk of socket) {
    bytes += (chunk as Buffer).length;
    await new Promise(setImmediate);
  }
  expect(bytes).toBeGreaterThan(size);
});

it("recordHttp forwards bytes that are not HTTP/1.1 and adds a remark", async () => {
  const { recorder } = await record((_req, res) => res.end());
  const socket = connect(Number(new URL(recorder.origin).port), "127.0.0.1");
  socket.end("nonsense\r\n\r\n");
  expect(await text(socket)).toContain("400 Bad Request");
  expect(recorder.remarks).toEqual(["a request could not be read: no HTTP/1.1 head"]);
});

it("recordHttp closes the client connection and adds a remark if the server is unreachable", async () => {
  const told: string[] = [];
  const onRemark = (what: string): void => void told.push(what);
  const recorder = await recordHttp({ to: new URL("http://127.0.0.1:1"), now: () => 0, onRemark });
  open.push(() => recorder.close());
  for (const _turn of [1, 2]) await expect(fetch(recorder.origin)).rejects.toThrow();
  expect(told).toEqual(recorder.remarks);
  expect(recorder.remarks).toEqual([expect.stringContaining("the server could not be reached")]);
});
