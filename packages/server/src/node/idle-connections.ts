// Closes the connections of a listening server that are idle for too long. One timer for all: the timer that Node starts and clears for
// each response (`keepAliveTimeout`) takes a thirtieth of the time of a call.
import type { Socket } from "node:net";

export interface IdleConnectionsOptions {
  /** The open connections. */
  readonly sockets: ReadonlySet<Socket>;
  /** Returns the connections of running requests. */
  busy(): Iterable<Socket>;
  readonly idleTimeoutMs: number;
}

interface Idle {
  /** What the connection had received when it was first seen idle. */
  readonly bytesRead: number;
  /** How often it was seen idle since. */
  readonly checks: number;
}

/** Checks are counted rather than time, because no input is read while the process stalls. */
const checksPerIdleTime = 4;

export class IdleConnections {
  readonly #options: IdleConnectionsOptions;
  readonly #timer: NodeJS.Timeout;
  #idle: ReadonlyMap<Socket, Idle> = new Map();

  constructor(options: IdleConnectionsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.check(), Math.ceil(options.idleTimeoutMs / checksPerIdleTime)).unref();
  }

  /** Looks at all connections, once per quarter of the idle time. */
  check(): void {
    const busy = new Set(this.#options.busy());
    const idle = new Map<Socket, Idle>();
    for (const socket of this.#options.sockets) {
      if (busy.has(socket) || !hasResponded(socket)) continue;
      const { bytesRead } = socket;
      const seen = this.#idle.get(socket);
      const checks = seen?.bytesRead === bytesRead ? seen.checks + 1 : 0;
      if (checks < checksPerIdleTime) idle.set(socket, { bytesRead, checks });
      else socket.destroy();
    }
    this.#idle = idle;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

/** Other limits apply to a connection that waits for its first request, or whose client still reads a response. */
function hasResponded({ bytesWritten, writableLength }: Socket): boolean {
  return bytesWritten > 0 && writableLength === 0;
}
