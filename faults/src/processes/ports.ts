// Free ports of the loopback address, and waiting for a program to listen on one.
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Started } from "./process-set.ts";

/** Returns ports of the loopback address that were free a moment ago. */
export async function findFreePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const settle = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", () => settle(true));
    socket.once("error", () => settle(false));
  });
}

/** Throws when the program has ended, or when the port is still closed after `limitMs`. */
export async function untilListening(
  port: number,
  program: Pick<Started, "name" | "isRunning" | "lastLine">,
  limitMs = 60_000,
): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await isListening(port))) {
    if (!program.isRunning)
      throw new Error(`${program.name} ended before it listened on port ${port}: ${program.lastLine}`);
    if (performance.now() > end) throw new Error(`port ${port} is closed after ${limitMs} ms`);
    await sleep(50);
  }
}
