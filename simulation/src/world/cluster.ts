// The machines of a deployment: one process at a time on each, restarted by its supervisor.
import type { Program, ProgramOptions } from "./program.ts";
import type { World } from "./world.ts";

/** How long a supervisor waits before it starts another process, in ms. */
const restartMs = [10, 300, 1_500];

export class Cluster<P extends Program = Program> {
  readonly machines: readonly string[];
  readonly #world: World;
  readonly #start: (options: ProgramOptions) => P;
  readonly #commandTimeoutMs: number;
  readonly #current = new Map<string, P>();
  #alive: P[] = [];
  #starts = 0;

  constructor(world: World, size: number, start: (options: ProgramOptions) => P) {
    this.#world = world;
    this.#start = start;
    this.machines = ["a", "b", "c", "d", "e"].slice(0, size);
    this.#commandTimeoutMs = world.random.pick([600, 1_000, 5_000]);
  }

  /** The latest process of each machine. */
  get programs(): readonly P[] {
    return [...this.#current.values()];
  }

  /** All living processes. */
  get alive(): readonly P[] {
    return this.#alive.filter(({ process }) => process.isAlive);
  }

  /** Starts a process on each machine that has none. */
  startMissing(): void {
    const { agenda, random } = this.#world;
    for (const machine of this.machines) {
      if (this.#current.get(machine)?.process.isAlive) continue;
      this.#starts += 1;
      const program = this.#start({
        ...{ world: this.#world, machine, name: `${machine}${this.#starts}` },
        commandTimeoutMs: this.#commandTimeoutMs,
        onEnd: () => agenda.after(random.pick(restartMs), () => this.startMissing()),
      });
      this.#current.set(machine, program);
      this.#alive = [...this.alive, program];
    }
  }
}
