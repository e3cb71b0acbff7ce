// The exchange of a forwarded request: sends its notifications to the forwarding worker, no faster than the caller reads them.
import type { Caller, Exchange, JsonRpcNotification } from "@lethe/protocol";
import type { CallMessage, NoteMessage } from "./forwarded-message.ts";

/** Above this many unread bytes the request should pause. Above twice as many its notifications are dropped. */
const windowBytes = 512 * 1024;

export class ForwardedExchange implements Exchange {
  readonly caller: Caller | undefined;
  readonly isAnonymous: boolean | undefined;
  readonly conversation: string | undefined;
  readonly isForwarded = true;
  /** How many workers forwarded the request. */
  readonly hops: number;
  readonly #call: number;
  readonly #send: (note: NoteMessage) => void;
  readonly #controller = new AbortController();
  #isAnswered = false;
  #unread = 0;
  #onDrained: (() => void)[] = [];

  constructor({ call, caller, isAnonymous, conversation, hops }: CallMessage, send: (note: NoteMessage) => void) {
    this.caller = caller;
    this.isAnonymous = isAnonymous;
    this.conversation = conversation;
    this.hops = hops;
    this.#call = call;
    this.#send = send;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
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

  /** The caller has read this many bytes. */
  taken(bytes: number): void {
    this.#unread = Math.max(0, this.#unread - bytes);
    if (this.#unread <= windowBytes) this.#notifyDrained();
  }

  abort(): void {
    this.#controller.abort();
    this.#notifyDrained();
  }

  /** Sends no more notifications. The call may still be aborted: its answer may not reach the caller. */
  answered(): void {
    this.#isAnswered = true;
    this.#notifyDrained();
  }

  #notifyDrained(): void {
    for (const resolve of this.#onDrained.splice(0)) resolve();
  }
}
