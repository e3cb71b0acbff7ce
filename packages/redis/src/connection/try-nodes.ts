// Short connections beside those of the driver, which only find something out about a node.
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import type { RedisNode } from "./redis-target.ts";

export interface Trial<T> {
  readonly isTls: boolean;
  /** How long the socket may be silent. */
  readonly timeoutMs: number;
  readonly tls?: Pick<ConnectionOptions, "rejectUnauthorized" | "cert" | "key">;
  /** Listens to a socket that connects. The first call of `settle` ends it. */
  listen(socket: Socket, settle: (outcome?: T) => void): void;
}

const maxNodes = 3;

/** Connects to the first nodes at once. Resolves with an outcome for each: undefined if its connection fails or times out without another one. */
export function tryNodes<T>(nodes: readonly RedisNode[], trial: Trial<T>): Promise<(T | undefined)[]> {
  return Promise.all(nodes.slice(0, maxNodes).map((node) => tryNode(node, trial)));
}

function tryNode<T>({ host, port }: RedisNode, { isTls, timeoutMs, tls, listen }: Trial<T>): Promise<T | undefined> {
  const servername = isIP(host) === 0 ? host : "";
  const socket = isTls ? connectTls({ host, port, servername, ...tls }) : connectPlain({ host, port });
  return new Promise<T | undefined>((resolve) => {
    listen(socket, resolve);
    for (const event of ["error", "close", "timeout"] as const) socket.on(event, () => resolve(undefined));
    socket.setTimeout(timeoutMs);
  }).finally(() => socket.destroy());
}
