// The exchange of a call on its way to an upstream: limits how many notifications reach the caller, so that an upstream that floods
// one call does not occupy the event loop.
import {
  type Caller,
  type Exchange,
  type JsonRpcNotification,
  type LogLevel,
  notificationMethod,
  onAbort,
  toLogNotification,
} from "@lethe/protocol";

/** Notifications that reach the caller of one call per second. */
const maxNotificationsPerSecond = 200;
const windowMs = 1_000;

/**
 * Beyond the limit, the newest progress waits for the next second or the end of the call. Log messages are dropped, and one log
 * message says how many.
 */
export class LimitedExchange implements Exchange {
  readonly #exchange: Exchange;
  #windowEndsAt = 0;
  #sent = 0;
  #progress: JsonRpcNotification | undefined;
  #droppedLogs = 0;
  #droppedLevel: unknown;
  #timer: NodeJS.Timeout | undefined;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  get signal(): AbortSignal {
    return this.#exchange.signal;
  }

  onAbort(callback: () => void): void {
    onAbort(this.#exchange, callback);
  }

  get caller(): Caller | undefined {
    return this.#exchange.caller;
  }

  get conversation(): string | undefined {
    return this.#exchange.conversation;
  }

  notify(notification: JsonRpcNotification): boolean {
    const now = performance.now();
    if (now >= this.#windowEndsAt) this.#startWindow(now);
    if (this.#sent < maxNotificationsPerSecond) {
      this.#sent += 1;
      return this.#exchange.notify(notification);
    }
    this.#hold(notification);
    this.#timer ??= setTimeout(() => this.#startWindow(performance.now()), this.#windowEndsAt - now);
    return true;
  }

  drained(): Promise<void> {
    return this.#exchange.drained();
  }

  answeredBy(worker: number): void {
    this.#exchange.answeredBy?.(worker);
  }

  /** The call has ended: sends what waits. Its result follows. */
  finish(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#droppedLogs > 0) this.#exchange.notify(this.#toDropNotice());
    this.#droppedLogs = 0;
    if (this.#progress) this.#exchange.notify(this.#progress);
    this.#progress = undefined;
  }

  #startWindow(now: number): void {
    this.finish();
    this.#sent = 0;
    this.#windowEndsAt = now + windowMs;
  }

  #hold(notification: JsonRpcNotification): void {
    if (notification.method === notificationMethod.progress) this.#progress = notification;
    else if (notification.method === notificationMethod.message) {
      this.#droppedLogs += 1;
      this.#droppedLevel = notification.params?.level;
    }
  }

  /** At the level of a dropped message, which the caller asked for. */
  #toDropNotice(): JsonRpcNotification {
    const limit = `at most ${maxNotificationsPerSecond} notifications of a call are forwarded per second`;
    return toLogNotification({
      level: this.#droppedLevel as LogLevel,
      logger: "lethe",
      data: `${this.#droppedLogs} log messages were dropped: ${limit}`,
    });
  }
}
