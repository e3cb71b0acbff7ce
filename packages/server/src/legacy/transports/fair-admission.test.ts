// A legacy client that holds many streams and bodies open takes no slots from other callers.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createKeyAuthenticator } from "../../auth/key-authenticator.ts";
import { createServer } from "../../create-server.ts";
import { type Serving, serve } from "../../node/serve.ts";
import type { Server } from "../../server.ts";

const alice = "alice-key-0123456789";
const bob = "bob-key-0123456789";
const initialize = JSON.stringify({
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "old", version: "1" } },
});

let server: Server;
let serving: Serving;
let sockets: Socket[] = [];

beforeEach(() => {
  const auth = createKeyAuthenticator([
    { id: "alice", key: alice },
    { id: "bob", key: bob },
  ]);
  server = createServer({ name: "s", version: "1.0.0" }, { auth });
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await serving.close({ graceMs: 0 });
  await server.close();
});

async function dial(text: string): Promise<Socket> {
  const socket = connect({ port: serving.port, host: "127.0.0.1" });
  sockets.push(socket);
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(text);
  return socket;
}

async function statusOf(socket: Socket): Promise<string> {
  const [first] = await once(socket, "data");
  return String(first).slice(9, 12);
}

it("one caller with many HTTP+SSE streams leaves slots to the other callers", async () => {
  const openStream = async (key: string): Promise<string> =>
    statusOf(
      await dial(
        `GET /sse HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${key}\r\n\r\n`,
      ),
    );
  serving = await serve(server, { port: 0, maxStreams: 4 });
  const statuses = [await openStream(alice), await openStream(alice), await openStream(alice)];
  expect(statuses).toEqual(["200", "200", "429"]);
  expect(await openStream(bob)).toBe("200");
});

it("one caller with many slow initialize bodies leaves slots to the other callers", async () => {
  serving = await serve(server, { port: 0, maxReceivingRequests: 4, bodyTimeoutMs: 600_000 });
  const begin = (key: string, text: string): Promise<Socket> =>
    dial(
      "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
        `Accept: application/json, text/event-stream\r\nAuthorization: Bearer ${key}\r\n` +
        `Content-Length: ${Buffer.byteLength(initialize)}\r\n\r\n${text}`,
    );
  for (let count = 0; count < 4; count += 1) await begin(alice, "{");
  await expect.poll(async () => statusOf(await begin(alice, initialize)), { timeout: 10_000 }).toBe("429");
  expect(await statusOf(await begin(bob, initialize))).toBe("200");
});
