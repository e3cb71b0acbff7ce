// An exchange for tests: remembers what was notified, and reads as slowly as a test wants.
import type { Caller, Exchange, HeaderReader, JsonRpcNotification, ModernRequest } from "@lethe/protocol";

export class RecordingExchange implements Exchange {
  readonly caller: Caller | undefined;
  readonly headers: HeaderReader | undefined;
  readonly sent: JsonRpcNotification[] = [];
  /** True as long as the peer does not read. */
  isSlow = false;
  readonly #controller = new AbortController();
  #waiting: (() => void)[] = [];

  /** With `headers`, by lower-case name, the request came over HTTP. */
  constructor(caller?: Caller, headers?: Readonly<Record<string, string>>) {
    this.caller = caller;
    this.headers = headers && ((name) => headers[name]);
  }

  get isAnonymous(): boolean {
    return this.headers !== undefined && this.caller === undefined;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  notify(notification: JsonRpcNotification): boolean {
    if (!this.signal.aborted) this.sent.push(notification);
    return this.signal.aborted || !this.isSlow;
  }

  drained(): Promise<void> {
    if (this.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** How many wait for the peer to read. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** The peer reads what was sent. */
  drain(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** The caller goes away. */
  leave(): void {
    this.#controller.abort();
    this.drain();
  }
}

/** A request with a complete envelope. */
export function requestOf(
  method: string,
  params: Record<string, unknown> = {},
  options: { id?: string | number; capabilities?: Record<string, unknown> } = {},
): ModernRequest {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": options.capabilities ?? {},
  };
  return { id: options.id ?? 1, method, params: { _meta, ...params } };
}
