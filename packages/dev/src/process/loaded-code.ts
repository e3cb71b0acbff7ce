// The author's server as a Dispatch: requests go to the process that runs its code.
import {
  type Dispatch,
  type Exchange,
  errorCode,
  type HeaderReader,
  McpError,
  onAbort,
  type Result,
  type TaskSupport,
  withTaskSupport,
} from "@lethe/protocol";
import type { CallNotification, CallResult, LoadedServer } from "../channel/runner-messages.ts";
import { describeExit, isExitError, type RunnerExit, type RunnerProcess } from "./runner-process.ts";

export interface LoadedCodeOptions {
  readonly process: RunnerProcess;
  readonly facts: LoadedServer;
}

/** One version of the author's code. */
export class LoadedCode {
  readonly facts: LoadedServer;
  readonly #process: RunnerProcess;
  readonly #running = new Map<number, Exchange>();
  #lastId = 0;
  #onIdle: (() => void) | undefined;

  constructor({ process, facts }: LoadedCodeOptions) {
    this.#process = process;
    this.facts = facts;
  }

  get exited(): Promise<RunnerExit> {
    return this.#process.exited;
  }

  /** False if the process ends because the command wants it to. */
  get isInUse(): boolean {
    return !this.#process.isEnding;
  }

  readonly dispatch: Dispatch = async (request, exchange) => {
    this.#lastId += 1;
    const id = this.#lastId;
    const { channel } = this.#process;
    this.#running.set(id, exchange);
    onAbort(exchange, () => channel.tell("abort", id));
    const { caller, conversation, isAnonymous, keepsState, headers } = exchange;
    const wire = {
      ...{ caller, conversation, isAnonymous, keepsState },
      headers: headers && this.#headersOf(headers),
      mayDisconnect: exchange.disconnect !== undefined,
    };
    try {
      return toResult(await channel.ask<CallResult>("call", { id, request, exchange: wire }));
    } catch (error) {
      throw await this.#toCallError(error);
    } finally {
      this.#running.delete(id);
      if (this.#running.size === 0) this.#onIdle?.();
    }
  };

  /** The caller of a running request gets a notification. */
  notify({ id, notification }: CallNotification): void {
    const exchange = this.#running.get(id);
    if (!exchange || exchange.notify(notification)) return;
    const { channel } = this.#process;
    channel.tell("pause", id);
    void exchange.drained().then(() => channel.tell("resume", id));
  }

  disconnect(id: number): void {
    this.#running.get(id)?.disconnect?.();
  }

  ask<T>(name: string, params: unknown): Promise<T> {
    return this.#process.channel.ask<T>(name, params);
  }

  /** Lets running requests finish on this code, at most until `signal` is aborted, and ends the process. */
  async retire(signal: AbortSignal): Promise<void> {
    this.#process.channel.ask("retire").catch(() => {});
    if (this.#running.size > 0 && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
        signal.addEventListener("abort", () => resolve(), { once: true });
        void this.exited.then(() => resolve());
      });
    }
    await this.#process.end();
  }

  /** Only headers that repeat arguments: the check of the others is done. */
  #headersOf(read: HeaderReader): Record<string, string> {
    const pairs = this.facts.paramHeaders.map((name) => [name, read(name)] as const);
    return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined));
  }

  async #toCallError(error: unknown): Promise<unknown> {
    if (!isExitError(error)) return error;
    const message = `${describeExit(await this.exited)} during this call: see the terminal of lethe dev`;
    return new McpError(errorCode.internalError, message, { data: { reason: "lost" } });
  }
}

function toResult({ result, taskSupport }: CallResult): Result {
  const { tools } = result as { tools?: object[] };
  for (const [index, support] of (taskSupport ?? []).entries()) {
    const tool = tools?.[index];
    if (support !== null && tool)
      withTaskSupport(tool as Parameters<typeof withTaskSupport>[0], support as TaskSupport);
  }
  return result;
}
