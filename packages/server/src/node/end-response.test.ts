// Responses as their connection gets them.
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it, vi } from "vitest";
import { endResponse } from "./end-response.ts";

interface Received {
  /** All bytes of the connection. */
  readonly bytes: string;
  /** Writes of one piece, and of several pieces. */
  readonly writes: readonly [number, number];
}

/** Sends the requests together over one connection, the last of which closes it. */
async function receive(listener: RequestListener, requests: readonly string[]): Promise<Received> {
  const server = createServer(listener);
  const spies: ReturnType<typeof spyOn>[] = [];
  server.on("connection", (socket: Socket) => void spies.push(spyOn(socket)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(requests.join(""));
  const bytes = await text(socket);
  server.close();
  const [spy] = spies;
  return { bytes, writes: [spy?.one.mock.calls.length ?? 0, spy?.several.mock.calls.length ?? 0] };
}

function spyOn(socket: Socket) {
  return { one: vi.spyOn(socket, "_write"), several: vi.spyOn(socket, "_writev" as "_write") };
}

const last = "GET /last HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

it.each(["ünïcode", "plain", ""])("writes the head and the text %j to the connection in one piece", async (body) => {
  const { bytes, writes } = await receive(
    (_, response) => {
      response.writeHead(200, { "Content-Length": Buffer.byteLength(body) });
      endResponse(response, body, "utf8");
    },
    [last],
  );
  expect(bytes).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(bytes.slice(bytes.indexOf("\r\n\r\n") + 4)).toBe(body);
  expect(writes).toEqual([1, 0]);
});

it("sends a response that is complete before an earlier one of its connection after it", async () => {
  const { bytes } = await receive(
    (request, response) => {
      const end = () => endResponse(response, `answer to ${request.url};`, "utf8");
      if (request.url === "/last") end();
      else setImmediate(end);
    },
    ["GET /first HTTP/1.1\r\nHost: localhost\r\n\r\n", last],
  );
  expect(bytes.match(/answer to \/\w+;/g)).toEqual(["answer to /first;", "answer to /last;"]);
});

it("sends bytes unchanged, and a head without a body", async () => {
  const { bytes } = await receive(
    (request, response) => {
      if (request.url === "/last") endResponse(response.writeHead(204), "", "utf8");
      else endResponse(response.writeHead(200, { "Content-Length": 3 }), Buffer.from("abc"), "utf8");
    },
    ["GET /first HTTP/1.1\r\nHost: localhost\r\n\r\n", last],
  );
  expect(bytes).toMatch(/\r\n\r\nabcHTTP\/1\.1 204 No Content\r\n/);
});

it("ends an event stream together with its last event", async () => {
  const { bytes, writes } = await receive(
    (_, response) => {
      response.writeHead(200, { "Transfer-Encoding": "chunked" });
      endResponse(response, "data: last\n\n", "utf8");
    },
    [last],
  );
  expect(bytes).toMatch(/\r\n\r\nc\r\ndata: last\n\n\r\n0\r\n\r\n$/);
  expect(writes).toEqual([0, 1]);
});

it("finishes no response whose connection is closed, as Node does not", async () => {
  const finished: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    response.on("finish", () => finished.push(request.url));
    if (request.url !== "/first") return;
    request.socket.destroy();
    endResponse(response.writeHead(200, { "Content-Length": 4 }), "late", "utf8");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(`GET /first HTTP/1.1\r\nHost: localhost\r\n\r\n${last}`);
  expect(await text(socket)).toBe("");
  server.close();
  expect(finished).toEqual([]);
});
