// Takes the place of the package ioredis: the same connections, time limits, reconnects and errors, over a simulated network.
import { EventEmitter } from "node:events";
import { type Reply, ReplyError } from "../redis/reply.ts";
import { SimulatedProcess } from "../world/simulated-process.ts";
import { type RedisRoute, Socket } from "./socket.ts";

export interface DriverOptions {
  readonly commandTimeout?: number;
  readonly connectTimeout?: number;
  retryStrategy?(times: number): number;
  reconnectOnError?(error: Error): boolean;
}

type Status = "wait" | "connecting" | "connect" | "ready" | "close" | "reconnecting" | "end";

interface Pending {
  settle(outcome: Reply | ReplyError | Error): void;
}

/** The way to Redis of each process. */
export const routes: WeakMap<SimulatedProcess, RedisRoute> = new WeakMap();

export class Redis extends EventEmitter {
  status: Status = "wait";
  readonly stream = { destroy: (): void => this.#socket?.destroy() };
  readonly #route: RedisRoute;
  readonly #options: DriverOptions;
  #socket: Socket | undefined;
  #pending: Pending[] = [];
  #retries = 0;
  #cancel: (() => void) | undefined;
  #isEnded = false;

  constructor(_url: string, options: DriverOptions = {}) {
    super();
    this.setMaxListeners(0);
    this.#options = options;
    const route = SimulatedProcess.current && routes.get(SimulatedProcess.current);
    if (!route) throw new Error("a connection to Redis was made outside of a simulated process");
    this.#route = route;
  }

  connect(): Promise<void> {
    this.#connect();
    return Promise.resolve();
  }

  disconnect(): void {
    this.#isEnded = true;
    this.#cancel?.();
    this.#socket?.destroy();
    if (this.status === "wait" || this.status === "reconnecting") this.#setStatus("end");
  }

  call(command: string, ...args: (string | number)[]): Promise<unknown> {
    return this.#send([command, ...args.map(String)]);
  }

  evalsha(digest: string, keyCount: number, ...args: (string | number)[]): Promise<unknown> {
    return this.#send(["EVALSHA", digest, String(keyCount), ...args.map(String)]);
  }

  eval(text: string, keyCount: number, ...args: (string | number)[]): Promise<unknown> {
    return this.#send(["EVAL", text, String(keyCount), ...args.map(String)]);
  }

  publish(channel: string, text: string): Promise<unknown> {
    return this.#send(["PUBLISH", channel, text]);
  }

  subscribe(...channels: string[]): Promise<unknown> {
    return this.#send(["SUBSCRIBE", ...channels]);
  }

  unsubscribe(...channels: string[]): Promise<unknown> {
    return this.#send(["UNSUBSCRIBE", ...channels]);
  }

  info(...sections: string[]): Promise<unknown> {
    return this.#send(["INFO", ...sections]);
  }

  get(key: string): Promise<unknown> {
    return this.#send(["GET", key]);
  }

  set(...args: (string | number)[]): Promise<unknown> {
    return this.#send(["SET", ...args.map(String)]);
  }

  time(): Promise<unknown> {
    return this.#send(["TIME"]);
  }

  ping(): Promise<unknown> {
    return this.#send(["PING"]);
  }

  /** Like ioredis without an offline queue: a command is sent at once or fails at once. */
  #send(words: readonly string[]): Promise<unknown> {
    if (this.status !== "ready" || !this.#socket) {
      return Promise.reject(new Error("Stream isn't writeable and enableOfflineQueue options is false"));
    }
    this.#socket.send(words);
    return this.#expectReply();
  }

  #expectReply(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      const settle = (outcome: Reply | ReplyError | Error): void => {
        if (isOver) return;
        isOver = true;
        cancel?.();
        if (outcome instanceof Error) reject(outcome);
        else resolve(toDriverReply(outcome));
        if (outcome instanceof ReplyError && this.#options.reconnectOnError?.(outcome)) this.#socket?.destroy();
      };
      const { commandTimeout } = this.#options;
      const late = (): void => settle(new Error("Command timed out"));
      const cancel = commandTimeout === undefined ? undefined : this.#route.process.clock.after(commandTimeout, late);
      this.#pending.push({ settle });
    });
  }

  #connect(): void {
    this.#setStatus("connecting");
    const { connectTimeout = 10_000 } = this.#options;
    const socket = new Socket(this.#route, {
      onOpen: () => {
        this.#setStatus("connect");
        // The check of readiness.
        socket.send(["INFO"]);
        this.#pending.push({
          settle: (outcome) => {
            if (outcome instanceof Error || this.#socket !== socket) return;
            this.#cancel?.();
            this.#retries = 0;
            this.#setStatus("ready");
          },
        });
      },
      onReply: (outcome) => this.#pending.shift()?.settle(outcome),
      onMessage: (channel, text) => this.emit("message", channel, text),
      onClose: (error) => this.#closed(socket, error),
    });
    this.#socket = socket;
    this.#cancel = this.#route.process.clock.after(connectTimeout, () => {
      if (this.#socket === socket && this.status !== "ready") socket.destroy(new Error("connect ETIMEDOUT"));
    });
  }

  #closed(socket: Socket, error: Error | undefined): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    this.#cancel?.();
    if (error) this.emit("error", error);
    this.#setStatus("close");
    const unanswered = this.#pending;
    this.#pending = [];
    for (const { settle } of unanswered) settle(new Error("Reached the max retries per request limit (which is 0)."));
    if (this.#isEnded) {
      this.#setStatus("end");
      return;
    }
    this.#retries += 1;
    const pauseMs = this.#options.retryStrategy?.(this.#retries) ?? 100;
    this.#setStatus("reconnecting");
    this.#cancel = this.#route.process.clock.after(pauseMs, () => this.#connect());
  }

  #setStatus(status: Status): void {
    this.status = status;
    this.emit(status);
  }
}

/** The driver returns the text of a status. */
function toDriverReply(reply: Reply): unknown {
  if (reply === null || typeof reply !== "object") return reply;
  return "ok" in reply ? reply.ok : reply.map(toDriverReply);
}

/** No process of the simulation uses a Cluster. */
export class Cluster {
  constructor() {
    throw new Error("the simulation has no Redis Cluster");
  }
}

/** No process of the simulation uses TLS. */
export class AbstractConnector {}

/** No process of the simulation uses Sentinels. */
export class SentinelConnector {}
