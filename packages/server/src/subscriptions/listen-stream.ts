// One open subscription. There may be thousands, so it is one small object; a slow reader costs at most one held change
// per topic that it listens to.
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
  /** By topic, in order of arrival; exists only while the peer reads slower than we write. */
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

  /** True when the identity that opened the stream is no longer proven. */
  get isExpired(): boolean {
    const expiresAt = this.#exchange.caller?.expiresAt;
    return expiresAt !== undefined && expiresAt <= Date.now();
  }

  get heldCount(): number {
    return this.#held?.size ?? 0;
  }

  /** E-11: comes before everything else. */
  acknowledge(honoured: ListenFilter): void {
    this.#send(toAcknowledged(this.#id, honoured));
  }

  deliver(topic: string, change: Change): void {
    if (this.#held) this.#held.set(topic, change);
    else this.#send(toChangeNotification(change, this.#id));
  }

  /** E-16: what was held goes out first, then the result. Also settles a stream whose caller has gone. */
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

  /** Stops by itself when the peer is slow again: the rest is then held anew, in the same order. */
  #release(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held) for (const [topic, change] of held) this.deliver(topic, change);
  }
}
