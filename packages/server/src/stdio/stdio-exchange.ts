// The exchange of a running request over stdio: sends notifications, and is cancelled by its caller (C-6).
import { type Exchange, type JsonRpcNotification, toLine } from "@lethe/protocol";
import type { LineWriter } from "./line-writer.ts";

export interface StdioOutput {
  readonly writer: LineWriter;
  readonly maxBufferedBytes: number;
}

const cancelled = new DOMException("the request was cancelled", "AbortError");

export class StdioExchange implements Exchange {
  /** Stdio has no authentication. */
  readonly caller: undefined = undefined;
  readonly isListen: boolean;
  /** Answered or cancelled: nothing more is written. */
  isEnded = false;
  readonly #output: StdioOutput;
  #signal: AbortSignal | undefined = undefined;
  #abortCallbacks: (() => void)[] | undefined = undefined;

  constructor(output: StdioOutput, isListen: boolean) {
    this.#output = output;
    this.isListen = isListen;
  }

  get signal(): AbortSignal {
    if (!this.#signal) {
      const controller = new AbortController();
      this.#signal = controller.signal;
      this.onAbort(() => controller.abort(cancelled));
    }
    return this.#signal;
  }

  onAbort(callback: () => void): void {
    if (this.isEnded) callback();
    else if (this.#abortCallbacks) this.#abortCallbacks.push(callback);
    else this.#abortCallbacks = [callback];
  }

  notify(notification: JsonRpcNotification): boolean {
    if (this.isEnded) return true;
    const { writer, maxBufferedBytes } = this.#output;
    // A subscription waits for `drained` by itself, and must not lose a change.
    if (!this.isListen && writer.heldBytes() > maxBufferedBytes) return false;
    return writer.send(toLine(notification));
  }

  drained(): Promise<void> {
    return this.isEnded ? Promise.resolve() : this.#output.writer.drained();
  }

  cancel(): void {
    this.isEnded = true;
    for (const callback of this.#abortCallbacks ?? []) callback();
    this.#abortCallbacks = undefined;
  }
}
