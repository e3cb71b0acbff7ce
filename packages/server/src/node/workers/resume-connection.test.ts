import { once } from "node:events";
import { createServer, type Server } from "node:http";
import {
  type AddressInfo,
  connect,
  createServer as createNetServer,
  type Server as NetServer,
  type Socket,
} from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { resumeConnection } from "./resume-connection.ts";

const get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

let http: Server;
let listener: NetServer;
let clients: Socket[];

beforeEach(() => {
  http = createServer((_request, response) => void response.end("ok"));
  clients = [];
});

afterEach(() => {
  for (const client of clients) client.destroy();
  listener.close();
});

/** Accepts a connection, and hands its socket to `serve`. */
async function accept(serve: (socket: Socket) => void): Promise<Socket> {
  listener = createNetServer({ pauseOnConnect: true }, serve).listen(0, "127.0.0.1");
  await once(listener, "listening");
  const client = connect((listener.address() as AddressInfo).port, "127.0.0.1").setEncoding("latin1");
  clients.push(client);
  await once(client, "connect");
  return client;
}

it("serves a request whose beginning waits already, and those that follow", async () => {
  const client = await accept((socket) => {
    resumeConnection(http, socket, 60_000);
  });
  for (const [start, rest] of [
    [get, ""],
    [get.slice(0, 5), get.slice(5)],
    [get, ""],
  ] as const) {
    client.write(start);
    client.write(rest);
    const [answer] = await once(client, "data");
    expect(answer).toMatch(/^HTTP\/1.1 200/);
  }
});

it("limits the time for the head of a request only from its first byte on", async () => {
  http = createServer({ headersTimeout: 20, connectionsCheckingInterval: 5 }, (_request, response) => {
    response.end("ok");
  });
  http.emit("listening");
  const idle = await accept((socket) => resumeConnection(http, socket, 60_000));
  listener.close();
  const slow = await accept((socket) => {
    http.emit("connection", socket);
    socket.resume();
  });
  const [refusal] = await once(slow, "data");
  expect(refusal).toMatch(/^HTTP\/1.1 408/);
  idle.write(get);
  const [answer] = await once(idle, "data");
  expect(answer).toMatch(/^HTTP\/1.1 200/);
  idle.write(get.slice(0, 5));
  const [late] = await once(idle, "data");
  expect(late).toMatch(/^HTTP\/1.1 408/);
  http.close();
});

it("closes a connection that is idle for too long, and one whose client leaves", async () => {
  const idle = await accept((socket) => resumeConnection(http, socket, 5));
  await once(idle.resume(), "close");
  listener.close();
  let served: Socket | undefined;
  const leaving = await accept((socket) => {
    served = socket;
    resumeConnection(http, socket, 60_000);
  });
  leaving.end();
  await once(leaving.resume(), "close");
  expect(served?.destroyed).toBe(true);
});
