import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { ConnectionMoves } from "./connection-moves.ts";

const get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

let server: Server;
let clients: Socket[] = [];

afterEach(() => {
  for (const client of clients) client.destroy();
  clients = [];
  server.close();
});

interface Client {
  readonly socket: Socket;
  /** Sends the text, and resolves with so many responses. */
  send(text: string, count?: number): Promise<void>;
}

interface Setup {
  /** Ends a response whose request another worker answered, or this one. Default: at once. */
  end?(response: ServerResponse, request: IncomingMessage): void;
  /** The worker that answers the n-th request, from 1. Undefined: this one does. Default: worker 2 answers all. */
  workerFor?(count: number): number | undefined;
  /** How often the connection moved before. */
  moves?: number;
  /** Whether the connection can be given away. Default: always. */
  canGive?(): boolean;
}

/** Returns what was given away: for each move the worker, its count, and how many requests had been received. */
async function start({ end = (response) => void response.end("ok"), moves = 0, ...setup }: Setup = {}) {
  const { workerFor = () => 2, canGive = () => true } = setup;
  const given: { to: number; moves: number; after: number }[] = [];
  let count = 0;
  const connections = new ConnectionMoves((_socket, to, total) => {
    if (!canGive()) return false;
    given.push({ to, moves: total, after: count });
    return true;
  });
  server = createServer((request, response) => {
    connections.received(request.socket, response);
    count += 1;
    const worker = workerFor(count);
    // Another worker answers later than this one has received the request.
    setImmediate(() => {
      if (worker !== undefined) connections.answeredBy(request.socket, response, worker);
      end(response, request);
    });
  });
  if (moves > 0) server.on("connection", (socket) => connections.arrived(socket, moves));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  clients.push(socket);
  let received = "";
  socket.on("data", (part) => {
    received += part;
  });
  const client: Client = {
    socket,
    async send(text, expected = 1) {
      const before = received.split("HTTP/1.1 200").length - 1;
      socket.write(text);
      while (received.split("HTTP/1.1 200").length - 1 < before + expected) await once(socket, "data");
    },
  };
  return { client, given };
}

/** Requests, one after the other. */
async function sendAll({ send }: Client, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 1) await send(get);
}

it("gives a connection to the worker that answered two requests in a row", async () => {
  const { client, given } = await start();
  await sendAll(client, 3);
  expect(given).toEqual([{ to: 2, moves: 1, after: 2 }]);
});

it("starts to count again after a request that this worker answered, or a third one", async () => {
  const { client, given } = await start({ workerFor: (count) => [2, undefined, 2, 3, 2, 3, 3][count - 1] });
  await sendAll(client, 8);
  expect(given).toEqual([{ to: 3, moves: 1, after: 7 }]);
});

it("needs four times as many requests for each further move, so that a connection of many callers stays", async () => {
  const { client, given } = await start({ moves: 2 });
  await sendAll(client, 40);
  expect(given.map(({ after }) => after)).toEqual([32]);
});

it("tries again after the next request when a connection cannot move now", async () => {
  let tries = 0;
  const { client, given } = await start({ canGive: () => ++tries > 2 });
  await sendAll(client, 5);
  expect(given.map(({ after }) => after)).toEqual([4]);
});

it("keeps a connection of which the parser has read the beginning of the next request", async () => {
  const { client, given } = await start();
  await client.send(get);
  for (let sent = 0; sent < 5; sent += 1) await client.send(`${sent === 0 ? get : get.slice(1)}G`);
  expect(given).toEqual([]);
  await client.send(get.slice(1));
  expect(given).toHaveLength(1);
});

it("keeps a connection whose client sends requests before their turn", async () => {
  const { client, given } = await start();
  for (let sent = 0; sent < 4; sent += 1) await client.send(get + get, 2);
  expect(given).toEqual([]);
});

it("keeps a connection that closes after the response", async () => {
  const { client, given } = await start();
  await client.send(get);
  await client.send(get.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
  await once(client.socket, "close");
  expect(given).toEqual([]);
});

it("keeps a connection while the response is an open stream", async () => {
  const open: ServerResponse[] = [];
  let count = 0;
  const { client, given } = await start({
    end(response) {
      count += 1;
      if (count < 3) return void response.end("ok");
      response.write("part");
      open.push(response);
    },
    workerFor: (count) => (count === 1 ? undefined : 2),
  });
  await sendAll(client, 3);
  expect(given).toEqual([]);
  const closed = once(open[0] as ServerResponse, "close");
  open[0]?.end();
  await closed;
  expect(given).toHaveLength(1);
});

it("keeps a connection whose next request was received before the response to the last one was sent", async () => {
  const responses: ServerResponse[] = [];
  const { client, given } = await start({
    end(response) {
      responses.push(response);
      if (responses.length === 2) return void client.socket.write(get);
      if (responses.length === 3) responses[1]?.end("ok");
      response.end("ok");
    },
    workerFor: (count) => (count < 3 ? 2 : undefined),
  });
  await client.send(get);
  await client.send(get, 2);
  expect(given).toEqual([]);
});
