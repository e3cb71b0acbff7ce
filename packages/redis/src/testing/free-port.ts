// Finds a free port for a program that needs its port as an argument.
import { once } from "node:events";
import { createServer } from "node:net";

/** Returns a port of the loopback address that was free a moment ago. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
