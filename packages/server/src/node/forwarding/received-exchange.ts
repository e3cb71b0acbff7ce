// The exchange of a forwarded request: sends its notifications to the forwarding replica or worker, no faster than the caller reads them.
import type { Caller, Exchange, JsonRpcNotification } from "@lethe/protocol";
import type { CallMessage, Note } from "./message.ts";

/** Above this many unread bytes the request should pause. Above twice as many its notifications are dropped. */
const windowBytes = 512 * 1024;

export class ReceivedExchange implements Exchange {
  readonly caller: Caller | undefined;
  readonly isAnonymous: boolean | undefined;
  readonly conversation: string | undefined;
  readonly isForwarded = true;
  /** How many replicas or workers forwarded the request. */
  readonly hops: number;
  /** This replica is not the owner: it has forwarded the request to another one. */
  isElsewhere = false;
  readonly #call: number;
  readonly #send: (note: Note) => void;
  #controller: AbortController | undefined;
  #onAbort: (() => void)[] = [];
  #isAborted = false;
  #isAnswered = false;
  #isOver = false;
  #unread = 0;
  #onDrained: (() => void)[] = [];

  constructor({ call, caller, isAnonymous, conversation, hops }: CallMessage, send: (note: Note) => void) {
    this.caller = caller;
    this.isAnonymous = isAnonymous;
    this.conversation = conversation;
    this.hops = hops;
    this.#call = call;
    this.#send = send;
  }

  get isAborted(): boolean {
    return this.#isAborted;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isAborted) this.#controller.abort();
    return this.#controller.signal;
  }

  onAbort(callback: () => void): void {
    if (this.#isAborted) callback();
    else if (!this.#isOver) this.#onAbort.push(callback);
  }

  notify(notification: JsonRpcNotification): boolean {
    if (this.#isAnswered || this.#unread > 2 * windowBytes) return false;
    const bytes = JSON.stringify(notification).length;
    this.#unread += bytes;
    this.#send({ kind: "note", call: this.#call, notification, bytes });
    return this.#unread <= windowBytes;
  }

  drained(): Promise<void> {
    if (this.#isAnswered || this.#unread <= windowBytes) return Promise.resolve();
    return new Promise((resolve) => this.#onDrained.push(resolve));
  }

  /** The caller has read this many bytes, or they were lost. */
  taken(bytes: number): void {
    this.#unread = Math.max(0, this.#unread - bytes);
    if (this.#unread <= windowBytes) this.#notifyDrained();
  }

  abort(): void {
    if (this.#isOver || this.#isAborted) return;
    this.#isAborted = true;
    this.#controller?.abort();
    for (const callback of this.#onAbort.splice(0)) callback();
    this.#notifyDrained();
  }

  /** Sends no more notifications. Until `end` the call may still be aborted: its answer may not reach the caller. */
  answered(): void {
    this.#isAnswered = true;
    this.#notifyDrained();
  }

  end(): void {
    this.answered();
    this.#isOver = true;
    this.#onAbort = [];
  }

  #notifyDrained(): void {
    for (const resolve of this.#onDrained.splice(0)) resolve();
  }
}
