// Whether the connections of one client to Redis work: reports each loss once, even if several connections fail and retry.
import type { Redis } from "ioredis";

export interface ConnectionStateOptions {
  /** Called once per loss, with the reason, which never contains a password. */
  onLost?: ((reason: string) => void) | undefined;
  onBack?: (() => void) | undefined;
}

export class ConnectionState {
  readonly #options: ConnectionStateOptions;
  #connections: readonly Redis[] = [];
  #isLost = false;
  #isClosed = false;
  #isExpected = false;
  #reason: Error | undefined;

  constructor(options: ConnectionStateOptions) {
    this.#options = options;
  }

  get isUp(): boolean {
    return this.#connections.length > 0 && this.#connections.every(({ status }) => status === "ready");
  }

  watch(connections: readonly Redis[]): void {
    this.#connections = connections;
    for (const connection of connections) {
      connection.on("error", (error: Error) => this.setReason(error));
      connection.on("close", () => this.#closed());
      connection.on("ready", () => this.#ready());
    }
  }

  /** Sets the reason of the loss that is about to happen. */
  setReason(reason: Error): void {
    this.#reason = reason;
  }

  /** The next close is deliberate: it counts as a loss only if the connection does not come back at once. */
  expectClose(): void {
    this.#isExpected = true;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    this.#isClosed = true;
  }

  #closed(): void {
    const isDeliberate = this.#isExpected;
    this.#isExpected = false;
    if (this.#isLost || this.#isClosed || isDeliberate) return;
    this.#isLost = true;
    this.#options.onLost?.(this.#reason ? reasonOf(this.#reason) : "it has closed the connection");
  }

  #ready(): void {
    if (!this.#isLost || !this.isUp) return;
    this.#isLost = false;
    this.#reason = undefined;
    this.#options.onBack?.();
  }
}

/** The AggregateError of a host name with several addresses has no useful message of its own. */
export function reasonOf(error: Error): string {
  if (/unknown resp type/i.test(error.message)) return "the server at this address is no Redis";
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [];
  return first?.message || error.message || String((error as NodeJS.ErrnoException).code ?? "no reason given");
}
