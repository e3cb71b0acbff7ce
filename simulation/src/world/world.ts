// The world of one schedule: time, chance, Redis, the machines and the paths between them, and what happened.
import type { KeyRing } from "@lethe/server/stores";
import type { Acceptor, DirectConnection, DirectNetwork } from "../network/direct-connection.ts";
import { Path } from "../network/path.ts";
import type { Listener, PeerNetwork } from "../network/peer-exchange.ts";
import { SimulatedRedis } from "../redis/simulated-redis.ts";
import { Agenda } from "./agenda.ts";
import { createSimulatedRing } from "./key-ring.ts";
import { Random } from "./random.ts";

/** The machine on which Redis runs. */
export const redisMachine = "redis";
const ring = createSimulatedRing();

export interface WorldOptions {
  /** Called with each line of the history, with the time in ms. */
  onLine?(time: number, line: string): void;
}

export class World implements PeerNetwork, DirectNetwork {
  readonly agenda: Agenda = new Agenda();
  readonly random: Random;
  readonly redis: SimulatedRedis;
  readonly ring: KeyRing = ring;
  /** What broke an invariant. */
  readonly violations: string[] = [];
  readonly acceptors: Map<string, Acceptor> = new Map();
  /** The direct connections between processes that neither end knows to be over. */
  readonly connections: Set<DirectConnection> = new Set();
  readonly #paths = new Map<string, Path>();
  readonly #listeners = new Map<string, Listener>();
  readonly #onLine: WorldOptions["onLine"];

  constructor(seed: number, { onLine }: WorldOptions = {}) {
    this.#onLine = onLine;
    this.random = new Random(seed);
    const chance = this.random;
    const drift = chance.between(-0.005, 0.005);
    const startedAt = 1_700_000_000_000 + chance.between(-3_600_000, 3_600_000);
    this.redis = new SimulatedRedis({
      now: () => startedAt + this.agenda.now * (1 + drift),
      random: () => chance.next(),
    });
  }

  get isViolated(): boolean {
    return this.violations.length > 0;
  }

  /** The path from one machine to another. */
  path(from: string, to: string): Path {
    const name = `${from}>${to}`;
    let path = this.#paths.get(name);
    if (!path) {
      path = new Path(this.agenda, this.random);
      this.#paths.set(name, path);
    }
    return path;
  }

  get paths(): Iterable<Path> {
    return this.#paths.values();
  }

  listen(address: string, listener: Listener): void {
    this.#listeners.set(address, listener);
  }

  listenerAt(address: string): Listener | undefined {
    return this.#listeners.get(address);
  }

  /** Adds a line to the history. */
  tell(line: string): void {
    this.#onLine?.(this.agenda.now, line);
  }

  violate(what: string): void {
    this.violations.push(`${this.agenda.now.toFixed(1)} ms: ${what}`);
    this.tell(`VIOLATION: ${what}`);
  }
}
