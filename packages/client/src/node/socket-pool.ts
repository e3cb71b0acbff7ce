// The connections to one origin. Each serves one request at a time; requests above the limit wait. An event stream that lasts
// counts for no limit here, because others would wait until it ends.
import type { Socket } from "node:net";
import type { buildConnector, Client, Dispatcher } from "undici";
import { longestDelayMs } from "../call/background-timer.ts";
import type { ForwardProxy } from "./forward-proxy.ts";
import { guardPaused } from "./guard-paused.ts";
import type { Undici } from "./load-undici.ts";
import type { NodeAnswer } from "./node-answer.ts";
import { type OpeningTunnel, openTunnel } from "./tunnel.ts";

export interface PoolOptions {
  readonly maxSockets: number;
  readonly keepAliveMs: number;
  /** For an https origin: opens the connections to it. */
  readonly proxy: ForwardProxy | undefined;
}

/** A client of undici, which owns at most one socket at a time. */
export interface Connection {
  readonly client: Client;
  /** While a proxy opens the connection. */
  tunnel: OpeningTunnel | undefined;
  socket: Socket | undefined;
  answer: NodeAnswer | undefined;
}

type RequestOptions = Dispatcher.DispatchOptions;

export class SocketPool {
  readonly #origin: string;
  readonly #options: PoolOptions;
  readonly #undici: Undici;
  readonly #connect: buildConnector.connector;
  readonly #connections = new Set<Connection>();
  /** The connection that was used last is the last one, and is reused first. */
  readonly #idle: Connection[] = [];
  /** Bounded by its senders, which limit their open requests. */
  readonly #waiting = new Map<NodeAnswer, RequestOptions>();
  #isAssigning = false;
  /** The number of connections with an event stream that lasts. */
  #lasting = 0;

  constructor(origin: string, options: PoolOptions, undici: Undici) {
    this.#origin = origin;
    this.#options = options;
    this.#undici = undici;
    // The deadline of a request includes the time to connect. As with node:http, TCP checks after 1 s of silence whether the peer exists.
    this.#connect = undici.buildConnector({ timeout: 0, keepAliveInitialDelay: 1000, allowH2: false });
  }

  /** True if there is neither a connection nor a request. */
  get isEmpty(): boolean {
    return this.#connections.size === 0 && this.#waiting.size === 0;
  }

  send(answer: NodeAnswer, options: RequestOptions): void {
    const connection = this.#idle.pop() ?? this.#openFor(answer);
    if (connection) this.#assign(connection, answer, options);
    else this.#waiting.set(answer, options);
  }

  /** Cancels a request that was not sent yet. */
  withdraw(answer: NodeAnswer, reason: unknown): void {
    if (answer.connection) {
      this.#destroy(answer.connection, reason);
      return;
    }
    this.#waiting.delete(answer);
    answer.fail(reason);
  }

  /** A request has ended. Its connection can serve another one if `isReusable`. */
  ended(answer: NodeAnswer, isReusable: boolean): void {
    const { connection } = answer;
    if (!connection) return;
    answer.connection = undefined;
    connection.answer = undefined;
    if (answer.isLasting) this.#lasting -= 1;
    if (isReusable && this.#limited <= this.#options.maxSockets) this.#idle.push(connection);
    else this.#destroy(connection, undefined);
    this.#assignWaiting();
  }

  /** Ends all connections and requests. */
  close(): void {
    const reason = connectionsClosed();
    for (const answer of [...this.#waiting.keys()]) this.withdraw(answer, reason);
    for (const connection of [...this.#connections]) this.#destroy(connection, reason);
  }

  #assignWaiting(): void {
    // A loop and no recursion: a request that undici refuses ends within `assign`, and thousands of them may wait.
    if (this.#isAssigning) return;
    this.#isAssigning = true;
    try {
      for (const [answer, options] of this.#waiting) {
        const connection = this.#idle.pop() ?? this.#openFor(answer);
        if (!connection) break;
        this.#waiting.delete(answer);
        this.#assign(connection, answer, options);
      }
    } finally {
      this.#isAssigning = false;
    }
  }

  /** The number of connections that count for the limit. */
  get #limited(): number {
    return this.#connections.size - this.#lasting;
  }

  #assign(connection: Connection, answer: NodeAnswer, options: RequestOptions): void {
    if (answer.isLasting) this.#lasting += 1;
    connection.answer = answer;
    answer.connection = connection;
    connection.client.dispatch(options, answer);
  }

  /** Undefined at the limit. */
  #openFor({ isLasting }: NodeAnswer): Connection | undefined {
    return isLasting || this.#limited < this.#options.maxSockets ? this.#open() : undefined;
  }

  #open(): Connection {
    const { keepAliveMs } = this.#options;
    const keptMs = Math.min(Math.max(keepAliveMs, 1), longestDelayMs);
    const client = new this.#undici.Client(this.#origin, {
      // One request at a time. A second one on the same connection would be lost with the first.
      pipelining: keepAliveMs > 0 ? 1 : 0,
      keepAliveTimeout: keptMs,
      keepAliveMaxTimeout: keptMs,
      // Closes an idle connection 1 s before the time that its server announces.
      keepAliveTimeoutThreshold: 1000,
      // The deadline of a request and the limits of its reader apply instead.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (options, callback) => this.#openSocket(connection, options, callback),
    });
    const connection: Connection = { client, tunnel: undefined, socket: undefined, answer: undefined };
    // With a request that was not written yet, the client connects again.
    client.on("disconnect", () => {
      if (!connection.answer) this.#destroy(connection, undefined);
    });
    this.#connections.add(connection);
    return connection;
  }

  #openSocket(connection: Connection, ...[options, callback]: Parameters<buildConnector.connector>): void {
    const { proxy } = this.#options;
    const open = (httpSocket?: Socket): void => {
      const socket = this.#connect({ ...options, ...(httpSocket && { httpSocket }) }, callback) as unknown as Socket;
      guardPaused(socket, () => connection.answer);
      connection.socket = socket;
    };
    if (!proxy) {
      open();
      return;
    }
    connection.tunnel = openTunnel(proxy, new URL(this.#origin), (error, socket) => {
      connection.tunnel = undefined;
      if (error) callback(error, null);
      else open(socket);
    });
  }

  #destroy(connection: Connection, reason: unknown): void {
    this.#connections.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
    connection.client.destroy((reason as Error | undefined) ?? null, ignore);
    // It may be connecting still.
    connection.tunnel?.destroy();
    connection.socket?.destroy();
  }
}

/** Why requests fail that run or wait when their connections are closed. */
export function connectionsClosed(): Error {
  return new Error("the connections were closed");
}

function ignore(): void {
  // The socket closes in the background.
}
