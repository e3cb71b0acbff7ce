import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { findFreePort } from "../testing/free-port.ts";
import { createHttpPeerTransport, peerHeader, peerPath } from "./peer-transport.ts";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0).toReversed()) end();
});

async function start(listener: RequestListener, timeoutMs = 5_000) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const transport = createHttpPeerTransport({ timeoutMs });
  ends.push(
    () => server.close(),
    () => server.closeAllConnections(),
    () => transport.close(),
  );
  return { transport, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test("sends the question in a header and resolves with the answer, over one connection", async () => {
  const ports = new Set<number | undefined>();
  const { transport, address } = await start((request, response) => {
    ports.add(request.socket.remotePort);
    response.end(`${request.method} ${request.url} ${request.headers[peerHeader]}`);
  });
  expect(await transport.ask(address, "sealed")).toBe(`POST ${peerPath} sealed`);
  expect(await transport.ask(address, "again")).toBe(`POST ${peerPath} again`);
  expect(ports.size).toBe(1);
});

test("a refused connection is distinct from silence", async () => {
  const transport = createHttpPeerTransport({ timeoutMs: 5_000 });
  const port = await findFreePort();
  await expect(transport.ask(`127.0.0.1:${port}`, "q")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  const { transport: hasty, address } = await start(() => {}, 50);
  const error = await hasty.ask(address, "q").catch((reason: Error) => reason);
  expect(error).toMatchObject({ message: "no answer within 50 ms" });
  expect(error).not.toHaveProperty("code");
});

test.each([
  ["an error status", (_, response) => response.writeHead(404).end("not found")],
  ["a large answer", (_, response) => response.end("x".repeat(100_000))],
  ["a redirection", (_, response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end()],
] satisfies [string, RequestListener][])("rejects %s", async (_, listener) => {
  const { transport, address } = await start(listener);
  await expect(transport.ask(address, "q")).rejects.toThrow("expected");
});

test.each(["", "host", "host:1/path", "user@host:1", "host:99999", "host:1?x", `${"h".repeat(400)}:1`])(
  "rejects %j as an address",
  async (address) => {
    await expect(createHttpPeerTransport().ask(address, "q")).rejects.toThrow("host:port expected");
  },
);
