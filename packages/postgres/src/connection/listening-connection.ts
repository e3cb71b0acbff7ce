// The connection on which messages of channels arrive. It reconnects by itself, and its state is that of the whole connection.
import type { ClientConfig } from "pg";
import { Channels } from "./channels.ts";
import { DestroyableClient } from "./destroyable-client.ts";
import { reasonOf } from "./postgres-error.ts";

export interface ListeningOptions {
  readonly config: ClientConfig;
  /** Called once per loss, with the reason, which never contains a password. */
  readonly onLost?: ((reason: string) => void) | undefined;
  readonly onBack?: (() => void) | undefined;
}

/** The first and the longest delay of reconnects, in ms. Each is reduced by up to half at random. */
const firstDelayMs = 50;
const maxDelayMs = 1_000;

export class ListeningConnection {
  readonly #options: ListeningOptions;
  readonly #channels = new Channels();
  readonly #resubscribed = new Set<() => void>();
  #client: DestroyableClient | undefined;
  #connecting: DestroyableClient | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #reason: string | undefined;

  constructor(options: ListeningOptions) {
    this.#options = options;
  }

  get isUp(): boolean {
    return this.#client !== undefined;
  }

  /** Connects for the first time. Rejects when that fails. */
  async start(): Promise<void> {
    await this.#connect();
  }

  async listen(name: string, listener: (text: string) => void): Promise<() => Promise<void>> {
    // If the connection is lost meanwhile, the next one listens to all channels.
    if (this.#channels.add(name, listener)) await this.#client?.query(`LISTEN ${name}`).catch(() => {});
    return async () => {
      if (this.#channels.remove(name, listener)) await this.#client?.query(`UNLISTEN ${name}`).catch(() => {});
    };
  }

  onResubscribed(listener: () => void): () => void {
    this.#resubscribed.add(listener);
    return () => void this.#resubscribed.delete(listener);
  }

  /** Cuts the connection, which is then restored. */
  cut(reason: string): void {
    this.#reason = reason;
    this.#client?.destroy();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#channels.clear();
    this.#resubscribed.clear();
    this.#client?.destroy();
    this.#connecting?.destroy();
  }

  async #connect(): Promise<void> {
    const client = new DestroyableClient(this.#options.config);
    this.#connecting = client;
    client.on("error", (error) => {
      this.#reason ??= reasonOf(error);
    });
    client.on("notification", ({ channel, payload = "" }) => this.#channels.receive(channel, payload));
    client.once("end", () => this.#ended(client));
    try {
      await client.connect();
      await this.#listenToAll(client);
    } catch (error) {
      client.destroy();
      throw error;
    } finally {
      this.#connecting = undefined;
    }
    if (this.#isClosed) client.destroy();
    else this.#client = client;
  }

  /** Channels may be added meanwhile. */
  async #listenToAll(client: DestroyableClient): Promise<void> {
    const done = new Set<string>();
    for (;;) {
      const names = this.#channels.names.filter((name) => !done.has(name));
      if (names.length === 0) return;
      for (const name of names) done.add(name);
      await client.query(names.map((name) => `LISTEN ${name}`).join("; "));
    }
  }

  #ended(client: DestroyableClient): void {
    if (this.#client !== client || this.#isClosed) return;
    this.#client = undefined;
    this.#options.onLost?.(this.#reason ?? "the server has closed the connection");
    this.#reason = undefined;
    this.#reconnect(firstDelayMs);
  }

  #reconnect(delayMs: number): void {
    const jittered = delayMs * (0.5 + Math.random() / 2);
    this.#timer = setTimeout(async () => {
      try {
        await this.#connect();
      } catch {
        if (!this.#isClosed) this.#reconnect(Math.min(delayMs * 2, maxDelayMs));
        return;
      }
      if (!this.#client) return;
      this.#reason = undefined;
      this.#options.onBack?.();
      for (const listener of this.#resubscribed) listener();
    }, jittered);
    this.#timer.unref();
  }
}
