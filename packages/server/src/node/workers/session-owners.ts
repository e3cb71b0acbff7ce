// Which worker owns which session of a gateway, in the memory of the parent. A worker owns its sessions until it releases them, leaves,
// or its process has ended: only then may another one acquire them, so that no session has two owners.

import { overloaded } from "@lethe/protocol";
import type { Acquired } from "../../replicas/directory.ts";

/** How long the former owner of a lost session is remembered, in ms. */
const rememberMs = 3_600_000;
const retryAfterMs = 1_000;

export interface SessionOwnersOptions {
  /** Sessions of all workers. More are refused. Default 1,000,000. */
  readonly maxSessions?: number;
  /** Lost sessions that are remembered for their next owner. The oldest are forgotten first. Default 100,000. */
  readonly maxLost?: number;
  /** Returns the time in ms. Default: `performance.now`. */
  readonly now?: () => number;
}

export class SessionOwners {
  readonly #maxSessions: number;
  readonly #maxLost: number;
  readonly #now: () => number;
  readonly #owners = new Map<string, string>();
  readonly #owned = new Map<string, Set<string>>();
  /** Workers that acquire no more sessions. Their processes end soon. */
  readonly #leaving = new Set<string>();
  /** The oldest first. */
  readonly #lost = new Map<string, { readonly formerOwner: string; readonly at: number }>();

  constructor({
    maxSessions = 1_000_000,
    maxLost = 100_000,
    now = () => performance.now(),
  }: SessionOwnersOptions = {}) {
    this.#maxSessions = maxSessions;
    this.#maxLost = maxLost;
    this.#now = now;
  }

  /** Throws a retryable McpError when there are too many, or when the worker is leaving. */
  acquire(worker: string, key: string): Acquired {
    const owner = this.#owners.get(key);
    if (owner !== undefined) return { owner };
    if (this.#leaving.has(worker)) throw overloaded("this worker is stopping", retryAfterMs);
    if (this.#owners.size >= this.#maxSessions) {
      throw overloaded(`the workers have ${this.#maxSessions} sessions, and more are not allowed`, retryAfterMs);
    }
    this.#owners.set(key, worker);
    const owned = this.#owned.get(worker);
    if (owned) owned.add(key);
    else this.#owned.set(worker, new Set([key]));
    const lost = this.#lost.get(key);
    this.#lost.delete(key);
    if (!lost || this.#now() - lost.at > rememberMs) return { owner: worker };
    return { owner: worker, formerOwner: lost.formerOwner };
  }

  isOwned(key: string): boolean {
    return this.#owners.has(key);
  }

  release(worker: string, key: string): void {
    if (this.#owners.get(key) !== worker) return;
    this.#owners.delete(key);
    this.#owned.get(worker)?.delete(key);
  }

  /** The sessions that the worker has not released are lost. Their next owners learn that. */
  leave(worker: string): void {
    this.#leaving.add(worker);
    for (const key of this.#owned.get(worker) ?? []) {
      this.#owners.delete(key);
      this.#lost.delete(key);
      this.#lost.set(key, { formerOwner: worker, at: this.#now() });
    }
    this.#owned.delete(worker);
    for (const oldest of this.#lost.keys()) {
      if (this.#lost.size <= this.#maxLost) break;
      this.#lost.delete(oldest);
    }
  }

  ended(worker: string): void {
    this.leave(worker);
    this.#leaving.delete(worker);
  }
}
