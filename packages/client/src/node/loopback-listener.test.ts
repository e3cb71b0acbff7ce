// Raw requests to the loopback listener, as any local program or web page can send them.
import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { createLoopbackRedirect } from "./loopback-redirect.ts";

const target = new URL("https://as.example/authorize?state=s1");

/** Sends `bytes` and returns the status of the response, or undefined when the connection closed without one. */
async function send(port: number, bytes: string): Promise<number | undefined> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.end(bytes, "latin1");
  const status = /^HTTP\/1\.1 (\d{3})/.exec(await text(socket).catch(() => ""))?.[1];
  return status === undefined ? undefined : Number(status);
}

/** Answers a request while a user is expected, and then the user still gets through. */
async function answerTo(toBytes: (host: string) => string): Promise<number | undefined> {
  const loopback = createLoopbackRedirect({ open: () => {} });
  const { port, host } = await loopback.redirectUrl();
  const back = loopback.redirect(target, { signal: AbortSignal.timeout(20_000) });
  await Promise.resolve();
  const status = await send(Number(port), toBytes(host));
  expect(await send(Number(port), request("GET", "/callback?code=c&state=s1", host))).toBe(200);
  expect((await back).searchParams.get("code")).toBe("c");
  return status;
}

function request(method: string, target: string, host: string): string {
  return `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
}

test.each([
  ["two slashes", (host: string) => request("GET", "//", host), 404],
  ["three slashes", (host: string) => request("GET", "///", host), 404],
  ["a network-path reference", (host: string) => request("GET", "//evil.example/callback?state=s1", host), 404],
  ["an invalid port", (host: string) => request("GET", "//:99999/callback?state=s1", host), 404],
  ["an asterisk", (host: string) => request("OPTIONS", "*", host), 400],
  ["an absolute URL", (host: string) => request("GET", `http://${host}/callback?code=x&state=s1`, host), 400],
  ["a foreign absolute URL", (host: string) => request("GET", "http://evil.example/callback?state=s1", host), 400],
  ["an absolute URL without host", (host: string) => request("GET", "http:///", host), 400],
  ["an authority", (host: string) => request("CONNECT", "evil.example:443", host), undefined],
  ["bad percent-encoding", (host: string) => request("GET", "/%zz%?state=%", host), 404],
  ["bad percent-encoding of the state", (host: string) => request("GET", "/callback?state=%ff%", host), 400],
  ["dot segments", (host: string) => request("GET", "/x/../callback?code=x&state=s1", host), 404],
  ["bytes above 127", (host: string) => request("GET", "/\xff\xfe", host), 400],
  ["no HTTP", () => "\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", 400],
  ["an unknown method", (host: string) => request("BREW", "/callback?state=s1", host), 400],
  ["a POST", (host: string) => request("POST", "/callback?code=x&state=s1", host), 405],
  ["a HEAD", (host: string) => request("HEAD", "/callback?code=x&state=s1", host), 405],
  ["a huge request line", (host: string) => request("GET", `/callback?state=${"a".repeat(50_000)}`, host), 431],
  ["a foreign Host", () => request("GET", "/callback?code=x&state=s1", "evil.example"), 403],
  [
    "a foreign Host with our port",
    (host) => request("GET", "/callback?state=s1", `evil.example:${host.split(":")[1]}`),
    403,
  ],
  ["an empty Host", () => request("GET", "/callback?code=x&state=s1", ""), 403],
  ["no Host", () => "GET /callback?code=x&state=s1 HTTP/1.0\r\n\r\n", 403],
  ["another state", (host: string) => request("GET", "/callback?code=x&state=s2", host), 400],
  ["two states", (host: string) => request("GET", "/callback?code=x&state=s1&state=s2", host), 400],
  [
    "an upgrade",
    (host: string) => `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    404,
  ],
] as [string, (host: string) => string, number | undefined][])(
  "the listener refuses %s and keeps waiting for the user",
  async (_, toBytes, status) => {
    expect(await answerTo(toBytes)).toBe(status);
  },
);

test("localhost is accepted as the name of the listener", async () => {
  const loopback = createLoopbackRedirect({ open: () => {} });
  const { port } = await loopback.redirectUrl();
  const back = loopback.redirect(target, { signal: AbortSignal.timeout(20_000) });
  await Promise.resolve();
  expect(await send(Number(port), request("GET", "/callback?code=c&state=s1", `localhost:${port}`))).toBe(200);
  expect((await back).hostname).toBe("127.0.0.1");
});

test("connections that never send a request neither block the user nor stay open after the redirect", async () => {
  const loopback = createLoopbackRedirect({ open: () => {} });
  const { port, host } = await loopback.redirectUrl();
  const back = loopback.redirect(target, { signal: AbortSignal.timeout(20_000) });
  const idle = Array.from({ length: 100 }, () =>
    connect(Number(port), "127.0.0.1")
      .on("error", () => {})
      .resume(),
  );
  const closed = Promise.all(idle.map((socket) => once(socket, "close")));
  for (const socket of idle) socket.write("GET /callback?sta");
  await Promise.all(idle.map((socket) => socket.connecting && once(socket, "connect")));
  expect(await send(Number(port), request("GET", "/callback?code=c&state=s1", host))).toBe(200);
  await back;
  await closed;
});

test("an authorization URL without a state is rejected, because any request would match it", async () => {
  const loopback = createLoopbackRedirect({ open: () => {} });
  const back = loopback.redirect(new URL("https://as.example/authorize"), { signal: AbortSignal.timeout(20_000) });
  await expect(back).rejects.toMatchObject({ code: "failed", message: expect.stringContaining("state") });
});
