// A program that a simulated process runs on its machine, with connections to Redis and to other processes.
import { routes } from "../network/simulated-ioredis.ts";
import { hosts } from "../network/simulated-tls.ts";
import { SimulatedProcess } from "./simulated-process.ts";
import { redisMachine, type World } from "./world.ts";

export interface ProgramOptions {
  readonly world: World;
  readonly name: string;
  /** Its machine, and its address. */
  readonly machine: string;
  readonly commandTimeoutMs: number;
  /** Called when the process has ended. */
  onEnd(): void;
}

/** Clocks run at most this much too fast or slow. */
const maxDrift = 0.005;
const maxSkewMs = 5_000;

export abstract class Program {
  readonly name: string;
  readonly machine: string;
  readonly process: SimulatedProcess;
  protected readonly world: World;
  readonly #sockets = new Set<{ abandon(): void }>();
  readonly #onEnd = new Set<() => void>();

  constructor({ world, name, machine, onEnd }: ProgramOptions) {
    const { agenda, random, redis } = world;
    this.world = world;
    this.name = name;
    this.machine = machine;
    this.#onEnd.add(onEnd);
    this.process = new SimulatedProcess(name, agenda, random, {
      drift: random.between(-maxDrift, maxDrift),
      skewMs: random.between(-maxSkewMs, maxSkewMs),
    });
    const [to, from] = [world.path(machine, redisMachine), world.path(redisMachine, machine)];
    routes.set(this.process, { agenda, random, process: this.process, redis, to, from, sockets: this.#sockets });
    hosts.set(this.process, { network: world, process: this.process, machine, sockets: this.#sockets });
  }

  /** Whether it accepts requests. */
  abstract get isReady(): boolean;

  /** Ends in order. */
  abstract stop(graceMs: number): void;

  /** The process ends at once. Its machine closes its connections. */
  kill(): void {
    if (!this.process.isAlive) return;
    this.process.kill();
    for (const socket of [...this.#sockets]) socket.abandon();
    for (const listener of this.#onEnd) listener();
  }

  /** Calls `listener` when the process ends. Returns a function that removes it. */
  onceEnded(listener: () => void): () => void {
    this.#onEnd.add(listener);
    return () => void this.#onEnd.delete(listener);
  }

  /** Runs `start` in the process. A program that cannot start ends; its supervisor starts another process. */
  protected begin(start: () => Promise<void>): void {
    this.process.run(() => {
      start().catch((error: Error) => {
        this.say(`cannot start: ${error.message}`);
        this.kill();
      });
    });
  }

  protected say(what: string): void {
    this.world.tell(`${this.name}: ${what}`);
  }
}
