// Resources that were asked for together: one `subscriptions/listen` at their upstream, begun again when it breaks off.
import { type JsonRpcNotification, type ListenFilter, method, notificationMethod } from "@lethe/protocol";
import type { UpstreamSessions } from "../sessions/upstream-sessions.ts";
import { createOwnExchange, toOwnRequest } from "../upstream/own-request.ts";
import { pause } from "../upstream/pause.ts";

export interface WatchGroupOptions {
  readonly sessions: UpstreamSessions;
  readonly callerId: string | undefined;
  /** Where sessions have names. */
  readonly handle: string | undefined;
  readonly uris: readonly string[];
  onUpdate(uri: string): void;
}

/** An upstream that does not acknowledge in this time, in ms, is taken not to grant anything. */
const ackMs = 5_000;
const firstDelayMs = 1_000;
const longestDelayMs = 30_000;

export class WatchGroup {
  /** What the upstream has acknowledged. Never rejects. */
  readonly granted: Promise<ReadonlySet<string>>;
  readonly #options: WatchGroupOptions;
  readonly #uris: Set<string>;
  readonly #stop: AbortController = new AbortController();
  #grant: (uris: ReadonlySet<string>) => void = () => {};
  #hasGrant = false;

  constructor(options: WatchGroupOptions) {
    this.#options = options;
    this.#uris = new Set(options.uris);
    this.granted = new Promise((resolve) => {
      this.#grant = resolve;
    });
    void this.#keep();
  }

  get isEmpty(): boolean {
    return this.#uris.size === 0;
  }

  drop(uri: string): void {
    this.#uris.delete(uri);
    if (this.isEmpty) this.close();
  }

  close(): void {
    this.#stop.abort();
    this.#grant(new Set());
  }

  async #keep(): Promise<void> {
    const late = setTimeout(() => this.#grant(new Set()), ackMs);
    let delayMs = firstDelayMs;
    while (!this.#stop.signal.aborted) {
      const wasGranted = this.#hasGrant;
      const isHeard = await this.#listen().catch(() => false);
      clearTimeout(late);
      // Refused at the first try is refused; what was granted once is worth trying again.
      if (!this.#hasGrant) return this.#grant(new Set());
      delayMs = isHeard || !wasGranted ? firstDelayMs : Math.min(longestDelayMs, delayMs * 2);
      await pause(delayMs, this.#stop.signal);
    }
    clearTimeout(late);
  }

  /** True when the upstream has acknowledged; ends when its stream does. */
  async #listen(): Promise<boolean> {
    const { sessions, callerId, handle } = this.#options;
    const session = await sessions.sessionFor(callerId, { handle });
    if ("replica" in session) return false;
    let isHeard = false;
    const exchange = createOwnExchange({
      signal: this.#stop.signal,
      caller: callerId === undefined ? undefined : { id: callerId },
      onNotification: (notification) => {
        if (notification.method === notificationMethod.acknowledged) {
          isHeard = true;
          this.#acknowledged(notification);
        } else this.#hear(notification);
      },
    });
    const notifications: ListenFilter = { resourceSubscriptions: [...this.#uris] };
    sessions.enter(session);
    try {
      await sessions.run(session, toOwnRequest(method.listen, { notifications }), exchange);
    } catch {
      // How it ended does not matter.
    } finally {
      sessions.leave(session);
    }
    return isHeard;
  }

  #acknowledged({ params = {} }: JsonRpcNotification): void {
    const { resourceSubscriptions = [] } = (params.notifications ?? {}) as ListenFilter;
    const granted = new Set(resourceSubscriptions.filter((uri) => this.#uris.has(uri)));
    // What happened while nobody listened was missed.
    if (this.#hasGrant) for (const uri of granted) this.#options.onUpdate(uri);
    this.#hasGrant = granted.size > 0 || this.#hasGrant;
    this.#grant(granted);
  }

  #hear({ method: told, params = {} }: JsonRpcNotification): void {
    const { uri } = params;
    if (told !== notificationMethod.resourceUpdated || typeof uri !== "string") return;
    // E-13: a server may name a part of what is watched.
    const watched = this.#uris.has(uri) ? [uri] : [...this.#uris].filter((whole) => isWithin(uri, whole));
    for (const whole of watched) this.#options.onUpdate(whole);
  }
}

function isWithin(uri: string, whole: string): boolean {
  if (!uri.startsWith(whole)) return false;
  return whole.endsWith("/") || "/?#".includes(uri.charAt(whole.length));
}
