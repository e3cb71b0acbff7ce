// The exchange of a request whose caller is at another replica: what it notifies goes there, and no faster than it is taken.
import type { Caller, Exchange, JsonRpcNotification } from "@lethe/protocol";
import type { CallMessage, Note } from "./message.ts";

/** More than this on its way, in bytes, and the request is asked to hold back; more than twice, and it is not heard. */
const windowBytes = 512 * 1024;

export class ReceivedExchange implements Exchange {
  readonly caller: Caller | undefined;
  readonly isAnonymous: boolean | undefined;
  readonly conversation: string | undefined;
  /** How many replicas the request has come through. */
  readonly hops: number;
  readonly #call: number;
  readonly #send: (note: Note) => void;
  #controller: AbortController | undefined;
  #onAbort: (() => void)[] = [];
  #isAborted = false;
  #isOver = false;
  #underway = 0;
  #onRoom: (() => void)[] = [];

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
    if (this.#isOver || this.#underway > 2 * windowBytes) return false;
    const bytes = JSON.stringify(notification).length;
    this.#underway += bytes;
    this.#send({ kind: "note", call: this.#call, notification, bytes });
    return this.#underway <= windowBytes;
  }

  drained(): Promise<void> {
    if (this.#isOver || this.#underway <= windowBytes) return Promise.resolve();
    return new Promise((resolve) => this.#onRoom.push(resolve));
  }

  /** Its caller has taken so much, or it is lost. */
  taken(bytes: number): void {
    this.#underway = Math.max(0, this.#underway - bytes);
    if (this.#underway <= windowBytes) this.#giveRoom();
  }

  abort(): void {
    if (this.#isOver || this.#isAborted) return;
    this.#isAborted = true;
    this.#controller?.abort();
    for (const callback of this.#onAbort.splice(0)) callback();
    this.#giveRoom();
  }

  end(): void {
    this.#isOver = true;
    this.#onAbort = [];
    this.#giveRoom();
  }

  #giveRoom(): void {
    for (const resolve of this.#onRoom.splice(0)) resolve();
  }
}
