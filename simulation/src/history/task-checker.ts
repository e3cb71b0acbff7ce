// Checks the invariants of tasks while a schedule runs. A task consists of steps under `once`, one after the other.
//
// - A step whose result was stored, because a later step began, never begins again.
// - A step begins again only with a higher fence: after the store has given the task to a worker anew. A system that remembers the
//   highest fence of a step therefore sees each effect at most once per holder, and can reject those of earlier holders.
// - If only Redis failed, and kept its data, no step begins twice: an outage is not the death of a worker.
// - A task ends with the right result, and its end never changes.
import type { World } from "../world/world.ts";

interface TaskHistory {
  /** The fence with which each step began last. */
  readonly fences: number[];
  end: string | undefined;
}

export class TaskChecker {
  readonly #world: World;
  readonly #mayRepeat: boolean;
  readonly #tasks = new Map<string, TaskHistory>();
  /** How many steps began. */
  begun = 0;

  constructor(world: World, { mayRepeat }: { mayRepeat: boolean }) {
    this.#world = world;
    this.#mayRepeat = mayRepeat;
  }

  /** A worker begins a step. */
  begin(task: string, step: number, { fence, worker }: { fence: number; worker: string }): void {
    this.begun += 1;
    const { fences } = this.#historyOf(task);
    const where = `step ${step} of ${task} at ${worker} with fence ${fence}`;
    this.#world.tell(`begins ${where}`);
    if (fences.length > step + 1) this.#world.violate(`${where} began again after its result was stored`);
    const before = fences[step];
    if (before !== undefined) {
      if (fence <= before) this.#world.violate(`${where} began again after fence ${before}`);
      else if (!this.#mayRepeat) this.#world.violate(`${where} began again although only Redis was away`);
    }
    if (fences.some((other) => other > fence)) this.#world.violate(`${where} began after a worker with a higher fence`);
    fences[step] = fence;
  }

  /** A caller read the end of a task. */
  end(task: string, end: string, expected: string): void {
    const history = this.#historyOf(task);
    if (end !== expected) this.#world.violate(`${task} ended with ${end}, not with ${expected}`);
    if (history.end !== undefined && history.end !== end) {
      this.#world.violate(`${task} ended with ${end} after it had ended with ${history.end}`);
    }
    history.end = end;
  }

  #historyOf(task: string): TaskHistory {
    const known = this.#tasks.get(task);
    if (known) return known;
    const made: TaskHistory = { fences: [], end: undefined };
    this.#tasks.set(task, made);
    return made;
  }
}
