// Replicas that did not receive a message and keep their sessions until their lease is over. Requests wait for that. Only one request at a
// time asks the shared store whether it is over: the others of thousands of waiting callers would take all of the store's time.
import type { Clock } from "../../clock/clock.ts";

/** Above this, all are forgotten, and every request asks. */
const maxReplicas = 1_000;

interface Absence {
  /** When the next request may ask. */
  readonly askAt: number;
  /** Whether a request asks, or has asked without finding the replica absent. */
  readonly isAsking: boolean;
}

export class AbsentReplicas {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #absences = new Map<string, Absence>();

  /** `everyMs`: the pause between two requests that ask, in ms. */
  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock;
    this.#everyMs = everyMs;
  }

  /** A message to this replica had no receiver, or its heartbeats are overdue. */
  add(replica: string): void {
    if (this.#absences.size >= maxReplicas) this.#absences.clear();
    this.#absences.set(replica, { askAt: this.#clock.now() + this.#everyMs, isAsking: false });
  }

  /** Something shows that this replica is back, or has lost its sessions. */
  delete(replica: string): void {
    this.#absences.delete(replica);
  }

  clear(): void {
    this.#absences.clear();
  }

  /** Whether a request for a session of this replica must wait. If not, it asks the shared store. */
  mustWait(replica: string): boolean {
    const absence = this.#absences.get(replica);
    if (absence === undefined) return false;
    const now = this.#clock.now();
    if (now < absence.askAt) return true;
    // The request that asked before has not found it absent.
    if (absence.isAsking) this.#absences.delete(replica);
    else this.#absences.set(replica, { askAt: now + this.#everyMs, isAsking: true });
    return false;
  }
}
