// Checks the invariants of sessions while a schedule runs.
//
// - One owner: when a replica begins a request of a session, no other process counts itself the owner of that session.
// - At most once: no request begins twice, and no input request is answered twice.
// - No service after a loss: when a newer state of a session has served, an older one serves no more.
// - Right caller: a response has the id and the caller of its request.
//
// A session may have two owners in one case, which docs/reliability.md names under "What remains": its owner is cut off from Redis and knows no
// other replica, and the network between it and a replica that joined is cut, too.
import type { Call, CallResult } from "../replicas/call.ts";
import { redisMachine, type World } from "../world/world.ts";

/** A replica that may own sessions. */
export interface Owner {
  readonly name: string;
  readonly machine: string;
  /** Whether it knows no other replica. */
  readonly isAlone: boolean;
  /** Whether it counts itself the owner of a session now. */
  holds(session: string): boolean;
}

/** Within this time after the network works again, the owners must have learned of each other, in ms. */
const reunionMs = 1_000;

interface SessionHistory {
  readonly states: Set<string>;
  latest: string;
  /** The owner that served the latest state. */
  owner: string;
}

export class Checker {
  readonly #world: World;
  readonly #begun = new Map<string, string>();
  readonly #answered = new Set<string>();
  readonly #sessions = new Map<string, SessionHistory>();
  /** Until when a session may have these two owners. */
  readonly #dividedUntil = new Map<string, number>();
  /** How many requests began. */
  begun = 0;
  /** How many requests a direct connection carried from one replica to another. */
  forwardedDirectly = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** A replica begins a request in a state of its session. `others` are all other living processes. */
  begin(call: Call, state: string, owner: Owner, others: readonly Owner[]): void {
    const { id, session, kind, asked } = call;
    this.begun += 1;
    for (const other of others) {
      if (!other.holds(session)) continue;
      if (this.#isLost(other, owner) || this.#isLost(owner, other)) {
        this.#dividedUntil.set(toPair(session, owner.name, other.name), this.#world.agenda.now + reunionMs);
      }
      if (this.#isDivided(session, owner.name, other.name)) {
        this.#world.tell(
          `${session} has two owners, ${other.name} and ${owner.name}, that could not know of each other`,
        );
        continue;
      }
      this.#world.violate(
        `two owners of ${session}: ${owner.name} begins ${id} while ${other.name} counts itself the owner`,
      );
    }
    const before = this.#begun.get(id);
    if (before !== undefined) this.#world.violate(`${id} ran twice: at ${before}, then at ${owner.name}`);
    this.#begun.set(id, owner.name);
    if (kind === "answer" && asked !== undefined) {
      if (this.#answered.has(asked)) this.#world.violate(`the input request of ${asked} was answered twice`);
      this.#answered.add(asked);
    }
    this.#follow(session, state, owner.name);
  }

  /** Whether an owner is alone, and reaches neither Redis nor another owner. */
  #isLost({ isAlone, machine }: Owner, other: Owner): boolean {
    return isAlone && this.#isCut(machine, redisMachine) && this.#isCut(machine, other.machine);
  }

  #isDivided(session: string, one: string, other: string): boolean {
    return this.#world.agenda.now < (this.#dividedUntil.get(toPair(session, one, other)) ?? 0);
  }

  /** In one direction or both. */
  #isCut(one: string, other: string): boolean {
    return this.#world.path(one, other).isCut || this.#world.path(other, one).isCut;
  }

  #follow(session: string, state: string, owner: string): void {
    const known = this.#sessions.get(session);
    if (!known) this.#sessions.set(session, { states: new Set([state]), latest: state, owner });
    else if (known.latest !== state) {
      if (known.states.has(state) && !this.#isDivided(session, owner, known.owner)) {
        this.#world.violate(
          `${session} was served from state ${state} at ${owner} after ${known.latest} had replaced it`,
        );
      }
      known.states.add(state);
      Object.assign(known, { latest: state, owner });
    }
  }

  /** A caller received a result. */
  receive(call: Call, result: CallResult): void {
    const isOwn = result.id === call.id && result.caller === call.caller && result.session === call.session;
    if (!isOwn) this.#world.violate(`${call.caller} received the result of ${result.id} for its request ${call.id}`);
  }
}

function toPair(session: string, ...owners: readonly [string, string]): string {
  return [session, ...owners.toSorted()].join(" ");
}
