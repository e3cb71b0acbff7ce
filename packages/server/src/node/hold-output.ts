// Counts the unread part of a response in the memory budget, until the client has read it or its connection closes.
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { MemoryBudget, MemoryHolding } from "@lethe/protocol";

const queued: unique symbol = Symbol("lethe.queued");

type Connection = Socket & { [queued]?: Set<MemoryHolding> };

export interface OutputOptions {
  socket: Socket;
  /** Closes the connection. */
  drop(): void;
}

export function holdOutput(memory: MemoryBudget, response: ServerResponse, options: OutputOptions): MemoryHolding {
  const holding = memory.hold("responses", options.drop);
  response.on("drain", () => holding.set(response.writableLength));
  const release = (): void => {
    waiting?.delete(holding);
    holding.release();
  };
  // A response that waits for an earlier one on its connection emits no "close" with the connection.
  const waiting = response.socket ? undefined : queuedOn(options.socket).add(holding);
  response.once("finish", release);
  response.once("close", release);
  return holding;
}

/** The holdings of responses that wait for an earlier one on the connection. Released when the connection closes. */
function queuedOn(socket: Connection): Set<MemoryHolding> {
  const known = socket[queued];
  if (known) return known;
  const holdings = new Set<MemoryHolding>();
  socket[queued] = holdings;
  socket.once("close", () => {
    for (const holding of holdings) holding.release();
  });
  return holdings;
}
