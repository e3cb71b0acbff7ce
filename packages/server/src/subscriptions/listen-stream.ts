// One open subscription. There may be thousands, so it is one small object. A slow reader costs at most one queued change
// per topic.
import {
  type Exchange,
  type JsonRpcNotification,
  type ListenFilter,
  type ListenResult,
  metaKey,
  type RequestId,
  toAcknowledged,
} from "@lethe/protocol";
import { type Change, toChangeNotification } from "./change.ts";

export class ListenStream {
  readonly topics: readonly string[];
  readonly #id: RequestId;
  readonly #exchange: Exchange;
  readonly #resolve: (result: ListenResult) => void;
  /** Queued changes by topic, in order of arrival; exists only while the peer reads slowly. */
  #held: Map<string, Change> | undefined;

  constructor(id: RequestId, exchange: Exchange, topics: readonly string[], resolve: (result: ListenResult) => void) {
    this.#id = id;
    this.#exchange = exchange;
    this.topics = topics;
    this.#resolve = resolve;
  }

  get callerId(): string | undefined {
    return this.#exchange.caller?.id;
  }

  /** True when the caller's credentials have expired. */
  isExpiredAt(time: number): boolean {
    const expiresAt = this.#exchange.caller?.expiresAt;
    return expiresAt !== undefined && expiresAt <= time;
  }

  get heldCount(): number {
    return this.#held?.size ?? 0;
  }

  /** Comes before everything else. */
  acknowledge(effective: ListenFilter): void {
    this.#send(toAcknowledged(this.#id, effective));
  }

  deliver(topic: string, change: Change): void {
    if (this.#held) this.#held.set(topic, change);
    else this.#send(toChangeNotification(change, this.#id));
  }

  /** Sends queued changes, then the result. Also settles a stream whose caller disconnected. */
  end(): void {
    if (this.#held) {
      for (const change of this.#held.values()) this.#exchange.notify(toChangeNotification(change, this.#id));
      this.#held = undefined;
    }
    this.#resolve({ resultType: "complete", _meta: { [metaKey.subscriptionId]: this.#id } });
  }

  #send(notification: JsonRpcNotification): void {
    if (this.#exchange.notify(notification)) return;
    this.#held = new Map();
    void this.#exchange.drained().then(() => this.#release());
  }

  /** Stops when the peer is slow again; the rest is queued again in the same order. */
  #release(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held) for (const [topic, change] of held) this.deliver(topic, change);
  }
}
