// Questions and messages between two processes in both directions, over the IPC channel of a child process.
import { fromWireError, toWireError, type WireError } from "./wire-error.ts";

/** Sends plain JSON. */
export interface Port {
  send(message: unknown): void;
}

/** What the other side may ask or tell, by name. */
export type Handlers = Readonly<Record<string, (params: never) => unknown>>;

type Message =
  | { readonly ask: number; readonly name: string; readonly params: unknown }
  | { readonly tell: string; readonly params: unknown }
  | { readonly answer: number; readonly value?: unknown; readonly error?: WireError };

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export class Channel {
  readonly #port: Port;
  readonly #handlers: Handlers;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #closed: Error | undefined;

  constructor(port: Port, handlers: Handlers) {
    this.#port = port;
    this.#handlers = handlers;
  }

  /** Rejects with the error of the other side, or with the reason of `close`. */
  ask<T>(name: string, params?: unknown): Promise<T> {
    if (this.#closed) return Promise.reject(this.#closed);
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as Waiting["resolve"], reject });
      this.#port.send({ ask: id, name, params } satisfies Message);
    });
  }

  tell(name: string, params?: unknown): void {
    if (!this.#closed) this.#port.send({ tell: name, params } satisfies Message);
  }

  receive(received: unknown): void {
    const message = received as Message;
    if ("ask" in message) void this.#answer(message.ask, message.name, message.params);
    else if ("tell" in message) this.#handlers[message.tell]?.(message.params as never);
    else this.#settle(message.answer, message);
  }

  /** Rejects everything that waits for the other side. */
  close(reason: Error): void {
    this.#closed ??= reason;
    for (const { reject } of this.#waiting.values()) reject(this.#closed);
    this.#waiting.clear();
  }

  async #answer(id: number, name: string, params: unknown): Promise<void> {
    let message: Message;
    try {
      message = { answer: id, value: await this.#handlers[name]?.(params as never) };
    } catch (error) {
      message = { answer: id, error: toWireError(error) };
    }
    if (!this.#closed) this.#port.send(message);
  }

  #settle(id: number, { value, error }: { value?: unknown; error?: WireError }): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) waiting?.reject(fromWireError(error));
    else waiting?.resolve(value);
  }
}
