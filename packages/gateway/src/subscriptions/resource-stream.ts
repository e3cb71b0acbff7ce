// One `subscriptions/listen` at an upstream, for the resources that were subscribed together.
import {
  type Caller,
  type Dispatch,
  type JsonRpcNotification,
  type ListenFilter,
  notificationMethod,
} from "@lethe/protocol";
import { keepListening } from "./upstream-listen.ts";

export interface ResourceStreamOptions {
  readonly dispatch: Dispatch;
  readonly caller: Caller | undefined;
  readonly uris: readonly string[];
  onUpdate(uri: string): void;
}

export class ResourceStream {
  /** The resources that the upstream has acknowledged. Never rejects. */
  readonly granted: Promise<ReadonlySet<string>>;
  readonly #options: ResourceStreamOptions;
  readonly #uris: Set<string>;
  readonly #stop: AbortController = new AbortController();
  #grant: (uris: ReadonlySet<string>) => void = () => {};
  #hasGrant = false;

  constructor(options: ResourceStreamOptions) {
    const { dispatch, caller, uris } = options;
    this.#options = options;
    this.#uris = new Set(uris);
    this.granted = new Promise((resolve) => {
      this.#grant = resolve;
    });
    void keepListening(
      {
        dispatch,
        caller,
        signal: this.#stop.signal,
        wanted: () => ({ resourceSubscriptions: [...this.#uris] }),
        onAcknowledged: (granted) => this.#acknowledged(granted),
        onNotification: (notification) => this.#receiveNotification(notification),
      },
      () => this.#grant(new Set()),
    );
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

  #acknowledged({ resourceSubscriptions = [] }: ListenFilter): boolean {
    const granted = new Set(resourceSubscriptions.filter((uri) => this.#uris.has(uri)));
    // Updates may have been missed while the stream was down.
    if (this.#hasGrant) for (const uri of granted) this.#options.onUpdate(uri);
    this.#hasGrant = granted.size > 0 || this.#hasGrant;
    this.#grant(granted);
    return granted.size > 0;
  }

  #receiveNotification({ method: notified, params = {} }: JsonRpcNotification): void {
    const { uri } = params;
    if (notified !== notificationMethod.resourceUpdated || typeof uri !== "string") return;
    // E-13: a server may name a sub-resource of a subscribed resource.
    const subscribed = this.#uris.has(uri) ? [uri] : [...this.#uris].filter((whole) => isWithin(uri, whole));
    for (const whole of subscribed) this.#options.onUpdate(whole);
  }
}

function isWithin(uri: string, whole: string): boolean {
  if (!uri.startsWith(whole)) return false;
  return whole.endsWith("/") || "/?#".includes(uri.charAt(whole.length));
}
