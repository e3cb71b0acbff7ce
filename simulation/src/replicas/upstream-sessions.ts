// The sessions of a simulated upstream server, whose state is in the process of the replica that owns them.
import { type Clock, pause } from "@lethe/server/stores";
import type { Call, CallResult } from "./call.ts";

export class UpstreamSessions {
  readonly #name: string;
  readonly #clock: Clock;
  readonly #open = new Map<string, UpstreamSession>();
  #count = 0;

  constructor(name: string, clock: Clock) {
    this.#name = name;
    this.#clock = clock;
  }

  has(session: string): boolean {
    return this.#open.has(session);
  }

  /** Returns the state of a session, or an empty one. */
  open(session: string): UpstreamSession {
    let state = this.#open.get(session);
    if (!state) {
      this.#count += 1;
      state = new UpstreamSession(`${this.#name}.${this.#count}`, this.#clock);
      this.#open.set(session, state);
    }
    return state;
  }

  /** The session belongs to another replica now. Its running calls end by themselves. */
  end(session: string): void {
    this.#open.delete(session);
  }
}

class UpstreamSession {
  readonly id: string;
  readonly #clock: Clock;
  readonly #asking = new Set<string>();
  #count = 0;

  constructor(id: string, clock: Clock) {
    this.id = id;
    this.#clock = clock;
  }

  /** Whether the call that this one answers still waits. */
  waits({ asked }: Call): boolean {
    return asked !== undefined && this.#asking.has(asked);
  }

  async run(call: Call): Promise<CallResult> {
    const { id, caller, session, kind, asked } = call;
    const answer = { id, caller, session };
    if (kind === "answer") {
      if (asked === undefined || !this.#asking.delete(asked)) return { ...answer, outcome: "gone", count: 0 };
    } else if (kind === "ask") {
      this.#asking.add(id);
      return { ...answer, outcome: "asks", count: this.#count };
    }
    this.#count += 1;
    const count = this.#count;
    if (kind === "wait") await pause(this.#clock, call.waitMs);
    return { ...answer, outcome: "done", count };
  }
}

export type { UpstreamSession };
