// A server in the test process, with counters of the resources that it still holds after all clients have disconnected.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";

export interface Fixture {
  url: string;
  /** Sessions that the server keeps. */
  sessions(): number;
  /** Open sockets. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

export interface FixtureOptions {
  sessions?: () => number;
}

export async function listen(handle: Handle, { sessions = () => 0 }: FixtureOptions = {}): Promise<Fixture> {
  const server = createServer((request, response) => {
    Promise.resolve(handle(request, response)).catch((error: Error) => {
      if (!response.headersSent) response.writeHead(500).end(error.message);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    sessions,
    connections: promisify(server.getConnections.bind(server)) as () => Promise<number>,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export async function readJson(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString());
}
