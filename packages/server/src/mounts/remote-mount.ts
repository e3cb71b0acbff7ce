// A mounted server that is not of this process: its lists are read when the first request comes, and again when they change.
import { type Dispatch, type ListenFilter, method, notificationMethod, type ServerCapabilities } from "@lethe/protocol";
import type { Clock } from "../clock/clock.ts";
import type { LocalServer } from "./local-server.ts";
import type { MountOptions } from "./mount-options.ts";
import type { MountRules } from "./mount-rules.ts";
import { createMountedFeatures, type MountedFeatures } from "./mounted-features.ts";
import { createOwnExchange, readRemoteLists, toOwnRequest } from "./remote-lists.ts";

/** Until a server that could not be read is read again, in ms. */
const firstRetryMs = 1_000;
const longestRetryMs = 60_000;
/** Lists are not read more often than this, in ms, even if their server promises a shorter `ttlMs`. */
const shortestPauseMs = 1_000;
/** Time to read the lists, in ms. */
const defaultTimeoutMs = 10_000;

const watched: readonly string[] = [
  notificationMethod.toolsChanged,
  notificationMethod.promptsChanged,
  notificationMethod.resourcesChanged,
];

export class RemoteMount {
  readonly #dispatch: Dispatch;
  readonly #rules: MountRules;
  readonly #unread: Set<string>;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  readonly #onProblem: (problem: string) => void;
  readonly #features: MountedFeatures;
  readonly #closing = new AbortController();
  #reading: Promise<void> | undefined;
  #isRead = false;
  #isWatched = false;
  /** In ms since 1970: when the lists are read again. */
  #staleAt = 0;
  #failures = 0;
  /** The problems that were reported since they last went away. */
  #told = new Set<string>();

  constructor(host: LocalServer, dispatch: Dispatch, rules: MountRules, options: MountOptions) {
    this.#dispatch = dispatch;
    this.#rules = rules;
    this.#clock = host.clock;
    this.#timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
    this.#onProblem =
      options.onProblem ?? ((problem) => console.warn(`mount ${JSON.stringify(rules.prefix)}: ${problem}`));
    this.#features = createMountedFeatures(host.registry, rules, (problem) => this.#problems.add(problem));
    this.#unread = host.registry.unread;
    this.#unread.add(rules.prefix);
  }

  #problems = new Set<string>();

  /** Resolves when the lists were read once or could not be read. Undefined when a request need not wait. */
  ready(): Promise<void> | undefined {
    if (this.#clock.wallTime() >= this.#staleAt && !this.#closing.signal.aborted) this.#read();
    return this.#isRead ? undefined : this.#reading;
  }

  close(): void {
    this.#closing.abort();
  }

  #read(): void {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = undefined;
    });
  }

  async #readOnce(): Promise<void> {
    const limit = new AbortController();
    const ms = this.#timeoutMs;
    const cancelLimit = this.#clock.after(ms, () => limit.abort(new Error(`no answer within ${ms} ms`)));
    const signal = AbortSignal.any([limit.signal, this.#closing.signal]);
    this.#problems = new Set();
    try {
      const { mount, dispatch } = { mount: this.#rules.prefix, dispatch: this.#dispatch };
      const onProblem = (problem: string): void => void this.#problems.add(problem);
      const lists = await orAborted(readRemoteLists({ dispatch, mount, signal, onProblem }), signal);
      this.#features.update(lists);
      this.#isRead = true;
      this.#unread.delete(this.#rules.prefix);
      this.#failures = 0;
      this.#staleAt = this.#clock.wallTime() + Math.max(shortestPauseMs, lists.ttlMs);
      this.#watch(lists.capabilities);
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      this.#problems.add(`its lists cannot be read: ${error instanceof Error ? error.message : String(error)}`);
      this.#staleAt = this.#clock.wallTime() + this.#pauseMs();
    } finally {
      cancelLimit();
      this.#tell();
    }
  }

  #pauseMs(): number {
    this.#failures += 1;
    return Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(this.#failures - 1, 10));
  }

  #tell(): void {
    for (const problem of this.#problems) if (!this.#told.has(problem)) this.#onProblem(problem);
    this.#told = this.#problems;
  }

  /** Listens for changes of the lists. The next request subscribes again after the stream has ended. */
  #watch({ tools, prompts, resources }: ServerCapabilities): void {
    const notifications: ListenFilter = {
      ...(tools?.listChanged && { toolsListChanged: true }),
      ...(prompts?.listChanged && { promptsListChanged: true }),
      ...(resources?.listChanged && { resourcesListChanged: true }),
    };
    if (this.#isWatched || Object.keys(notifications).length === 0) return;
    this.#isWatched = true;
    const exchange = createOwnExchange(this.#closing.signal, ({ method: name }) => {
      if (!watched.includes(name)) return;
      this.#staleAt = 0;
      this.#read();
    });
    const ended = (): void => {
      this.#isWatched = false;
      this.#staleAt = Math.min(this.#staleAt, this.#clock.wallTime() + this.#pauseMs());
    };
    this.#dispatch(toOwnRequest(method.listen, { notifications }), exchange).then(ended, ended);
  }
}

/** A server may ignore its signal. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}
