// A caller of the gateway: sends requests of its sessions to any replica, answers input requests at any replica, and tries requests again
// that certainly have not started.
import type { Exchange } from "@lethe/protocol";
import type { Checker } from "../history/checker.ts";
import type { World } from "../world/world.ts";
import type { Call, CallResult } from "./call.ts";
import { isNotStarted, type Replica } from "./replica.ts";

export interface CallerOptions {
  readonly world: World;
  readonly checker: Checker;
  readonly name: string;
  readonly sessions: readonly string[];
  replicas(): readonly Replica[];
}

/** "unknown": the connection broke or the caller stopped waiting. "refused": it has not started and was not tried again. */
export type Outcome = CallResult["outcome"] | "unknown" | "refused" | "failed";

/** An exchange without an AbortSignal, which would cost more than the rest of the call. */
class CallerExchange implements Exchange {
  readonly caller: { readonly id: string };
  readonly #onAbort: (() => void)[] = [];
  isAborted = false;

  constructor(id: string) {
    this.caller = { id };
  }

  get signal(): AbortSignal {
    throw new Error("the simulation has no signals");
  }

  onAbort(callback: () => void): void {
    if (this.isAborted) callback();
    else this.#onAbort.push(callback);
  }

  notify(): boolean {
    return true;
  }

  drained(): Promise<void> {
    return Promise.resolve();
  }

  abort(): void {
    this.isAborted = true;
    for (const callback of this.#onAbort.splice(0)) callback();
  }
}

/** The caller stops waiting after this time, in ms. */
const patienceMs = 25_000;
const maxAttempts = 4;

export class Caller {
  readonly #options: CallerOptions;
  #calls = 0;
  /** Calls that have not ended. */
  running = 0;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  /** Makes a random call now. Resolves with its outcome; the call of an input request with that of its answer. */
  async call(
    kind: Call["kind"] = this.#options.world.random.pick(["count", "count", "wait", "ask"]),
  ): Promise<Outcome> {
    const { world, sessions } = this.#options;
    const call = this.#create(kind, world.random.pick(sessions));
    this.running += 1;
    try {
      const outcome = await this.#send(call);
      if (outcome !== "asks") return outcome;
      await this.#pause(world.random.pick([0, 5, 200, 3_000]));
      return await this.#answer(call);
    } finally {
      this.running -= 1;
    }
  }

  /** Sometimes sends the answer twice at the same time. */
  async #answer({ id, session }: Call): Promise<Outcome> {
    const answer = (): Promise<Outcome> => this.#send({ ...this.#create("answer", session), asked: id });
    if (!this.#options.world.random.chance(0.2)) return answer();
    const [first, second] = await Promise.all([answer(), answer()]);
    return first === "done" ? first : (second as Outcome);
  }

  #create(kind: Call["kind"], session: string): Call {
    const { name, world } = this.#options;
    this.#calls += 1;
    return {
      id: `${name}-${this.#calls}`,
      caller: name,
      session,
      kind,
      waitMs: world.random.pick([1, 50, 800, 4_000]),
    };
  }

  async #send(call: Call): Promise<Outcome> {
    const { world, checker } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#attempt(call);
      if (typeof outcome === "object") {
        checker.receive(call, outcome);
        world.tell(`${call.caller} received ${outcome.outcome} for ${call.id}, count ${outcome.count}`);
        return outcome.outcome;
      }
      if (outcome !== "refused" || attempt === maxAttempts) {
        world.tell(`${call.caller}: ${call.id} ended: ${outcome}`);
        return outcome;
      }
      await this.#pause(world.random.between(50, 1_000));
    }
  }

  /** Through the balancer, which knows only replicas that listen. */
  #attempt(call: Call): Promise<CallResult | "unknown" | "refused" | "failed"> {
    const { world, replicas } = this.#options;
    const { agenda, random } = world;
    const ready = replicas().filter(({ isReady }) => isReady);
    if (ready.length === 0) return Promise.resolve("refused");
    const replica = random.pick(ready);
    const exchange = new CallerExchange(call.caller);
    return new Promise((resolve) => {
      let isOver = false;
      const end = (outcome: CallResult | "unknown" | "refused" | "failed"): void => {
        if (isOver) return;
        isOver = true;
        for (const cancel of cancels) cancel();
        resolve(outcome);
      };
      const respond = (outcome: CallResult | "refused" | "failed"): void => {
        agenda.after(random.between(0.1, 3), () => end(outcome));
      };
      const cancels = [
        agenda.after(patienceMs, () => {
          end("unknown");
          exchange.abort();
        }),
        // Its machine closes the connection.
        replica.onceEnded(() => agenda.after(random.between(0.1, 100), () => end("unknown"))),
      ];
      agenda.after(random.between(0.1, 3), () =>
        replica.process.deliver(() => {
          if (exchange.isAborted) return;
          replica.handle(call, exchange).then(respond, (error) => {
            world.tell(`${replica.name}: ${call.id}: ${(error as Error).message}`);
            respond(isNotStarted(error) ? "refused" : "failed");
          });
        }),
      );
    });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#options.world.agenda.after(ms, resolve));
  }
}
