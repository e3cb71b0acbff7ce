// The connection on which messages of channels arrive. It reconnects by itself, and its state is that of the whole connection.
import type { ClientConfig } from "pg";
import { Channels } from "./channels.ts";
import { DestroyableClient } from "./destroyable-client.ts";
import { isDenial, reasonOf } from "./postgres-error.ts";

export interface ListeningOptions {
  readonly config: ClientConfig;
  /** Called once per loss, with the reason, which never contains a password. */
  readonly onLost?: ((reason: string) => void) | undefined;
  readonly onBack?: (() => void) | undefined;
  /** Called once per loss when the database answers and rejects the next connection, with its reason. */
  readonly onDenied?: ((reason: string) => void) | undefined;
}

/** The first and the longest delay of reconnects, in ms. Each is reduced by up to half at random. */
const firstDelayMs = 50;
const maxDelayMs = 1_000;
/** An administrator may limit how long sessions are idle, and this one sends nothing for days. PostgreSQL 13 has no such limit. */
const staysIdle = "SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'idle_session_timeout'";

export class ListeningConnection {
  readonly #options: ListeningOptions;
  readonly #channels = new Channels();
  /** Channels of which other processes can see that this one listens. */
  readonly #addresses = new Set<string>();
  readonly #resubscribed = new Set<() => void>();
  #client: DestroyableClient | undefined;
  #connecting: DestroyableClient | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #reason: string | undefined;
  #lastQuery: Promise<unknown> = Promise.resolve();

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
    if (this.#channels.add(name, listener)) await this.#query(`LISTEN ${name}`);
    return async () => {
      if (this.#channels.remove(name, listener)) await this.#query(`UNLISTEN ${name}`);
    };
  }

  /** Listens, and holds a lock that `Publisher` tries: it is free as soon as the database knows that this connection has ended. */
  async listenAs(name: string, listener: (text: string) => void): Promise<() => Promise<void>> {
    this.#addresses.add(name);
    const stop = await this.listen(name, listener);
    await this.#query(lockOf(name));
    return async () => {
      this.#addresses.delete(name);
      await this.#query(unlockOf(name));
      await stop();
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

  /** One after another, as the driver wants it. A failure is that of the connection, and the next one listens to all channels. */
  #query(text: string): Promise<unknown> {
    this.#lastQuery = this.#lastQuery.then(() => this.#client?.query(text)).catch(() => {});
    return this.#lastQuery;
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
      await client.query(staysIdle);
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
      const texts = names.map((name) =>
        this.#addresses.has(name) ? `LISTEN ${name}; ${lockOf(name)}` : `LISTEN ${name}`,
      );
      await client.query(texts.join("; "));
    }
  }

  #ended(client: DestroyableClient): void {
    if (this.#client !== client || this.#isClosed) return;
    this.#client = undefined;
    this.#options.onLost?.(this.#reason ?? "the server has closed the connection");
    this.#reason = undefined;
    this.#reconnect(firstDelayMs);
  }

  #reconnect(delayMs: number, isReported = false): void {
    const jittered = delayMs * (0.5 + Math.random() / 2);
    this.#timer = setTimeout(async () => {
      try {
        await this.#connect();
      } catch (error) {
        if (this.#isClosed) return;
        const isNew = !isReported && isDenial(error);
        if (isNew) this.#options.onDenied?.(reasonOf(error as Error));
        this.#reconnect(Math.min(delayMs * 2, maxDelayMs), isReported || isNew);
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

/** The names of channels need no escape. A shared lock, so that the next connection of a process does not wait for the end of the last one. */
function lockOf(name: string): string {
  return `SELECT pg_advisory_lock_shared(hashtextextended('${name}', 0))`;
}

function unlockOf(name: string): string {
  return `SELECT pg_advisory_unlock_shared(hashtextextended('${name}', 0))`;
}
