// Answers the requests that the command hands to the author's server.
import { type Caller, type Exchange, type JsonRpcNotification, method, type Result } from "@lethe/protocol";
import type { Servable } from "@lethe/server/node";
import type { Channel } from "../channel/channel.ts";
import type { CallRequest, CallResult, WireExchange } from "../channel/runner-messages.ts";

/** The description of the symbol under which the author's copy of the protocol keeps the task support of a tool. */
const taskSupportName = "lethe.taskSupport";

export class CallAnswerer {
  readonly #channel: Channel;
  readonly #running = new Map<number, RunnerExchange>();

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  async answer(server: Servable, { id, request, exchange }: CallRequest): Promise<CallResult> {
    const running = new RunnerExchange(id, exchange, this.#channel);
    this.#running.set(id, running);
    try {
      const result = await server.dispatch(request, running);
      const taskSupport = request.method === method.listTools ? taskSupportsIn(result) : undefined;
      return { result, ...(taskSupport && { taskSupport }) };
    } finally {
      this.#running.delete(id);
      running.end();
    }
  }

  abort(id: number): void {
    this.#running.get(id)?.abort();
  }

  pause(id: number): void {
    this.#running.get(id)?.pause();
  }

  resume(id: number): void {
    this.#running.get(id)?.end();
  }
}

/** The exchange of a request, whose peer is in the other process. */
class RunnerExchange implements Exchange {
  readonly caller: Caller | undefined;
  readonly conversation: string | undefined;
  readonly isAnonymous: boolean | undefined;
  readonly keepsState: boolean | undefined;
  readonly headers: Exchange["headers"];
  readonly disconnect?: () => void;
  readonly #id: number;
  readonly #channel: Channel;
  readonly #ending = new AbortController();
  #isPaused = false;
  #onResume: (() => void)[] = [];

  constructor(id: number, wire: WireExchange, channel: Channel) {
    this.#id = id;
    this.#channel = channel;
    this.caller = wire.caller;
    this.conversation = wire.conversation;
    this.isAnonymous = wire.isAnonymous;
    this.keepsState = wire.keepsState;
    const { headers } = wire;
    this.headers = headers && ((name) => headers[name.toLowerCase()]);
    if (wire.mayDisconnect) this.disconnect = () => channel.tell("disconnect", id);
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  notify(notification: JsonRpcNotification): boolean {
    this.#channel.tell("notify", { id: this.#id, notification });
    return !this.#isPaused;
  }

  drained(): Promise<void> {
    return this.#isPaused ? new Promise((resolve) => this.#onResume.push(resolve)) : Promise.resolve();
  }

  abort(): void {
    this.#ending.abort();
    this.end();
  }

  pause(): void {
    this.#isPaused = true;
  }

  /** The peer reads again, or the exchange has ended. */
  end(): void {
    this.#isPaused = false;
    for (const resume of this.#onResume.splice(0)) resume();
  }
}

function taskSupportsIn(result: Result): (string | null)[] {
  const tools = (result as { tools?: readonly object[] }).tools ?? [];
  return tools.map((tool) => {
    const symbol = Object.getOwnPropertySymbols(tool).find(({ description }) => description === taskSupportName);
    return symbol === undefined ? null : String((tool as Record<symbol, unknown>)[symbol]);
  });
}
