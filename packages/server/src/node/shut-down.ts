// Stops a listening server without losing a request: accepts what waits, receives what is in transit, and lets running requests end.

import type { Server } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import type { Servable } from "../http/servable.ts";
import type { NodeEdge } from "./node-io.ts";

/** How long a connection that seems idle may still deliver a request that is in transit. */
const lingerMs = 50;
/** The same for a connection that has not delivered anything: its client opened it for a request. */
const newLingerMs = 250;
/** A longer turn of the event loop shows that other work ran in it, in ms. */
const longTurnMs = 2;

export interface Running {
  server: Server;
  edge: NodeEdge;
  sockets: ReadonlySet<Socket>;
  graceMs: number;
  delayMs: number;
  /** Accepts no more connections, and calls `done` when all have ended. Default: `close` of the server. */
  stop?: ((done: () => void) => void) | undefined;
}

/** Resolves when no connection is left. */
export async function shutDown({ server, edge, sockets, graceMs, delayMs, stop: stopServer }: Running): Promise<void> {
  edge.isClosing = true;
  if (delayMs > 0) await sleep(delayMs);
  await acceptWaiting(server);
  // Not the `close` of Node's http.Server, which destroys connections whose last response is still being sent. Bun's is no net.Server.
  const stop: (done: () => void) => unknown =
    stopServer ?? (isNetServer(server) ? NetServer.prototype.close : server.close);
  const closed = new Promise<void>((resolve) => {
    stop.call(server, resolve);
  });
  const lingeringMs = await receiveInTransit(sockets, graceMs / 2);
  const deadline = setTimeout(() => {
    for (const io of [...edge.clock.members]) io.call.stop();
  }, graceMs - lingeringMs);
  const cut = setTimeout(
    () => {
      for (const io of [...edge.clock.members]) io.cutOff();
      server.closeAllConnections();
    },
    graceMs - lingeringMs + lingerMs,
  );
  const open = [...edge.clock.members];
  const busy = new Set(open.map((io) => io.socket));
  for (const socket of sockets) if (!busy.has(socket)) socket.destroySoon();
  for (const servable of new Set(open.map((io) => io.call.servable))) void endSubscriptions(servable, edge);
  await edge.clock.empty();
  for (const socket of sockets) socket.destroySoon();
  await closed;
  clearTimeout(deadline);
  clearTimeout(cut);
  server.close();
}

function isNetServer(server: object): boolean {
  return server instanceof NetServer;
}

/** Waits for requests that clients have sent already. Returns the time that it took, in ms. */
async function receiveInTransit(sockets: ReadonlySet<Socket>, maxMs: number): Promise<number> {
  const begun = performance.now();
  const passed = (): number => performance.now() - begun;
  const isAwaited = (): boolean => sockets.size > 0 && passed() < Math.min(lingerMs, maxMs);
  const isNewAwaited = (): boolean =>
    passed() < Math.min(newLingerMs, maxMs) && [...sockets].some(({ bytesRead }) => bytesRead === 0);
  while (isAwaited() || isNewAwaited()) {
    await sleep(Math.min(lingerMs, maxMs));
    // On a busy machine, the timer may run before the event loop has read what arrived in the meantime.
    await turn();
    await turn();
  }
  return passed();
}

/**
 * Accepts waiting connections, which would otherwise be reset. Each turn of the event loop may accept only one. More may wait after a long
 * turn, in which this process was perhaps interrupted.
 */
async function acceptWaiting(server: Server): Promise<void> {
  const until = performance.now() + lingerMs;
  let isCertain = false;
  const onConnection = (): void => {
    isCertain = false;
  };
  server.on("connection", onConnection);
  while (!isCertain && performance.now() < until) {
    const begun = performance.now();
    isCertain = true;
    await turn();
    if (performance.now() - begun > longTurnMs) isCertain = false;
  }
  server.off("connection", onConnection);
}

/** The caller need not wait: the streams of the subscriptions are open requests, which it waits for. */
async function endSubscriptions(servable: Servable | undefined, edge: NodeEdge): Promise<void> {
  try {
    await servable?.close?.();
  } catch (error) {
    edge.settings.onError(error);
  }
}
