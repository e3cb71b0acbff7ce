// Requests to servers that only an HTTP proxy reaches, and what a broken or unwilling proxy leads to.
import { once } from "node:events";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { type HttpServer, sendJson, startHttpServer } from "../http/testing/http-server.ts";
import { isUnsent, toTransportError } from "../http/to-transport-error.ts";
import { forwardProxiesOf } from "./forward-proxy.ts";
import { createHttpFetch } from "./http-fetch.ts";
import { createNodeSend } from "./http-send.ts";
import { type Certificate, createCertificate } from "./testing/certificate.ts";
import { type ForwardingProxy, type ForwardingProxyOptions, startForwardingProxy } from "./testing/forwarding-proxy.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const certificate: Certificate = createCertificate("api.example");

async function startProxy(options: ForwardingProxyOptions): Promise<ForwardingProxy> {
  const proxy = await startForwardingProxy(options);
  closers.push(() => proxy.close());
  return proxy;
}

async function startServer(): Promise<HttpServer> {
  const server = await startHttpServer((_, response) => sendJson(response, "served"));
  closers.push(() => server.close());
  return server;
}

async function startTlsServer(): Promise<number> {
  const server = createSecureServer(certificate, (_, response) => response.end('"served"'));
  await once(server.listen(0, "127.0.0.1"), "listening");
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function sendThrough(proxy: string, url: string, signal?: AbortSignal) {
  const { send, close } = createNodeSend({}, { environment: { HTTPS_PROXY: proxy, HTTP_PROXY: proxy } });
  closers.push(close);
  return send({ url: new URL(url), method: "POST", headers: { "x-a": "1" }, body: "{}", signal });
}

const failureOf = (sent: Promise<unknown>) => sent.catch((error: Error & { code?: string }) => error) as Promise<Error>;

test("an http request asks the proxy for the whole URL, with the host of the server and the credentials of the proxy", async () => {
  const server = await startServer();
  const proxy = await startProxy({ servers: { "api.example": Number(server.url.port) } });
  const answer = await sendThrough(`http://ann:pw@${proxy.address}`, "http://api.example/mcp?a=1");
  expect(await answer.text(100)).toBe('"served"');
  expect(proxy.seen).toEqual(["POST http://api.example/mcp?a=1"]);
  expect(proxy.headers[0]).toMatchObject({
    host: "api.example",
    "x-a": "1",
    "proxy-authorization": `Basic ${Buffer.from("ann:pw").toString("base64")}`,
  });
});

test("an https request gets a connection of the proxy, and checks the certificate of the server", async () => {
  const port = await startTlsServer();
  const proxy = await startProxy({ servers: { "api.example:443": port } });
  const error = await failureOf(sendThrough(`http://ann:pw@${proxy.address}`, "https://api.example/mcp"));
  expect(error).toMatchObject({ code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
  expect(proxy.seen).toEqual(["CONNECT api.example:443"]);
  expect(proxy.headers[0]).toEqual({
    host: "api.example:443",
    connection: "close",
    "proxy-authorization": `Basic ${Buffer.from("ann:pw").toString("base64")}`,
  });
});

test("the fetch of authorization goes through the proxy, over TLS to the server", async () => {
  const port = await startTlsServer();
  const proxy = await startProxy({ servers: { "api.example:8443": port } });
  const fetch = createHttpFetch({
    tls: { ca: certificate.cert },
    findProxy: forwardProxiesOf({ HTTPS_PROXY: proxy.address }),
  });
  const lookup = () => expect.unreachable("the proxy resolves the name");
  const { response, address } = await fetch("https://api.example:8443/token", {}, { lookup, isGuarded: false });
  expect([await response.text(), address]).toEqual(['"served"', undefined]);
  expect(proxy.seen).toEqual(["CONNECT api.example:8443"]);
});

test.each([
  ["an address that is not allowed", new Error("api.example has an address that is not public"), []],
  ["no address", Object.assign(new Error("ENOTFOUND"), { syscall: "getaddrinfo" }), ["CONNECT api.example:443"]],
])("a guarded fetch of a name that this network resolves to %s", async (_, problem, seen) => {
  const proxy = await startProxy({ servers: { "api.example:443": await startTlsServer() } });
  const fetch = createHttpFetch({
    tls: { ca: certificate.cert },
    findProxy: forwardProxiesOf({ HTTPS_PROXY: proxy.address }),
  });
  const fetched = fetch(
    "https://api.example/token",
    {},
    { lookup: (_name, _options, done) => done(problem, []), isGuarded: true },
  );
  if (seen.length === 0) await expect(fetched).rejects.toBe(problem);
  else await (await fetched).response.text();
  expect(proxy.seen).toEqual(seen);
});

const advice = "if api.example:443 is reached without a proxy, name its host in NO_PROXY";

test.each([
  ["HTTP/1.1 403 Filtered\r\n\r\n", "403 Filtered"],
  ["HTTP/1.1 407 Who are you\r\n\r\n", "407 Who are you (set user and password in the URL of the proxy)"],
])("a proxy that answers %j leaves the request unsent, and the error names the proxy", async (line, words) => {
  const proxy = await startProxy({ onConnect: (socket) => socket.end(line) });
  const error = await failureOf(sendThrough(proxy.address, "https://api.example/mcp"));
  expect(error.message).toBe(
    `the proxy http://${proxy.address} opens no connection to api.example:443: ${words}; ${advice}`,
  );
  expect(isUnsent(toTransportError("tools/call", error))).toBe(true);
});

test.each([
  ["closes the connection", (socket: { destroy(): void }) => void socket.destroy(), "socket hang up"],
  ["answers no HTTP", (socket: { write(text: string): void }) => socket.write("SSH-2.0\r\n"), "Parse Error"],
])("a proxy that %s leaves the request unsent", async (_, onConnect, words) => {
  const proxy = await startProxy({ onConnect: onConnect as never });
  const error = await failureOf(sendThrough(proxy.address, "https://api.example/mcp"));
  expect(error.message).toContain(`the proxy http://${proxy.address} cannot be used: ${words}`);
  expect(isUnsent(toTransportError("tools/call", error))).toBe(true);
});

test("a proxy that does not listen leaves the request unsent", async () => {
  const closed = createServer();
  await once(closed.listen(0, "127.0.0.1"), "listening");
  const { port } = closed.address() as AddressInfo;
  closed.close();
  const error = await failureOf(sendThrough(`127.0.0.1:${port}`, "https://api.example/mcp"));
  expect(error.message).toContain(`the proxy http://127.0.0.1:${port} cannot be used: connect ECONNREFUSED`);
  expect(isUnsent(toTransportError("tools/call", error))).toBe(true);
});

/** Says nothing, and ends with the client. */
const untilEnd = (socket: Socket) => void socket.resume().on("end", () => socket.end());

test("a cancelled request closes the connection to a proxy that does not answer", async () => {
  const proxy = await startProxy({ onConnect: untilEnd });
  const cancelling = new AbortController();
  const sent = failureOf(sendThrough(proxy.address, "https://api.example/mcp", cancelling.signal));
  await vi.waitFor(() => expect(proxy.seen).toHaveLength(1));
  cancelling.abort(new Error("enough"));
  expect((await sent).message).toBe("enough");
  await vi.waitFor(async () => expect(await proxy.sockets()).toBe(0));
});

test("a cancelled fetch closes the connection to a proxy that does not answer", async () => {
  const proxy = await startProxy({ onConnect: untilEnd });
  const fetch = createHttpFetch({ findProxy: forwardProxiesOf({ HTTPS_PROXY: proxy.address }) });
  const cancelling = new AbortController();
  const { signal } = cancelling;
  const fetched = failureOf(fetch("https://api.example", { signal }, { lookup: () => {}, isGuarded: false }));
  await vi.waitFor(() => expect(proxy.seen).toHaveLength(1));
  cancelling.abort();
  expect((await fetched).name).toBe("AbortError");
  await vi.waitFor(async () => expect(await proxy.sockets()).toBe(0));
});

test("a variable without an http URL is an error of each request that would use it", async () => {
  const error = await failureOf(sendThrough("socks5://proxy:1080", "https://api.example/mcp"));
  expect(error.message).toBe(
    "HTTPS_PROXY: an http URL such as http://proxy.example.com:3128 expected, got a URL with socks5://",
  );
});
