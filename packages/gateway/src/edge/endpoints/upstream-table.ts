// The upstreams of a gateway by name: the active ones, and those of earlier configurations that still finish calls. Only
// upstream-entries.ts changes them.
import type { UpstreamSessions } from "../../upstreams/sessions/upstream-sessions.ts";
import type { UpstreamEntry } from "./upstream-entry.ts";

export class UpstreamTable {
  readonly #entries = new Map<string, UpstreamEntry>();
  readonly #upstreams = new Map<string, UpstreamSessions>();
  readonly #retiring = new Map<UpstreamSessions, Promise<void>>();
  /** The same sessions by name, because a reload may remove thousands of upstreams. */
  readonly #retiringByName = new Map<string, Set<UpstreamSessions>>();
  #resolveBegun = (): void => {};
  /** Resolves once: when every upstream of a configuration that is still active has been started and read, or has failed. */
  readonly begun: Promise<void> = new Promise((resolve) => {
    this.#resolveBegun = resolve;
  });

  /** In the order of the configuration. Changes with it. */
  get upstreams(): ReadonlyMap<string, UpstreamSessions> {
    return this.#upstreams;
  }

  get entries(): ReadonlyMap<string, UpstreamEntry> {
    return this.#entries;
  }

  /** Sessions of earlier configurations, each with the promise that resolves when its calls have finished. */
  get retiring(): ReadonlyMap<UpstreamSessions, Promise<void>> {
    return this.#retiring;
  }

  /** Returns the entry that has a name now. */
  entryOf(name: string): UpstreamEntry | undefined {
    return this.#entries.get(name);
  }

  sessionsOf(name: string): UpstreamSessions | undefined {
    return this.#upstreams.get(name);
  }

  /** Returns the retiring sessions of one upstream. */
  retiredOf(name: string): UpstreamSessions[] {
    return [...(this.#retiringByName.get(name) ?? [])];
  }

  isActive(entry: UpstreamEntry): boolean {
    return this.#entries.get(entry.sessions.name) === entry;
  }

  replace(next: ReadonlyMap<string, UpstreamEntry>): void {
    this.#entries.clear();
    this.#upstreams.clear();
    for (const [name, entry] of next) {
      this.#entries.set(name, entry);
      this.#upstreams.set(name, entry.sessions);
    }
  }

  /** Lists `sessions` as retiring until `retired` resolves. */
  addRetiring(sessions: UpstreamSessions, retired: Promise<void>): void {
    const { name } = sessions;
    const alike = this.#retiringByName.get(name) ?? new Set();
    this.#retiringByName.set(name, alike.add(sessions));
    const end = () => {
      this.#retiring.delete(sessions);
      alike.delete(sessions);
      if (alike.size === 0) this.#retiringByName.delete(name);
    };
    this.#retiring.set(sessions, retired.then(end));
  }

  /** Resolves `begun`. */
  begin(): void {
    this.#resolveBegun();
  }
}
