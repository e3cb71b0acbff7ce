// What happened to each task of the gateway, for operators.
import type { DetailedTask, TaskStatus } from "@lethe/protocol";

export interface TaskEvent {
  /** ms since 1970 */
  readonly at: number;
  readonly status: TaskStatus;
  readonly message?: string;
}

export interface Timeline {
  /** The oldest first. */
  readonly events: readonly TaskEvent[];
  /** How many earlier events are no longer kept. */
  readonly omitted: number;
}

const maxTasks = 1_000;
const maxEvents = 50;
const maxMessageLength = 1_000;
const empty: Timeline = { events: [], omitted: 0 };

export class TaskTimelines {
  readonly #timelines: Map<string, Timeline> = new Map();

  /** A state that says nothing new is left out. */
  add({ taskId, status, statusMessage: message }: DetailedTask): void {
    const { events, omitted } = this.#timelines.get(taskId) ?? empty;
    const last = events.at(-1);
    if (last?.status === status && last.message === message) return;
    const event = {
      at: Date.now(),
      status,
      ...(message !== undefined && { message: message.slice(0, maxMessageLength) }),
    };
    const all = [...events, event];
    const surplus = Math.max(0, all.length - maxEvents);
    this.#timelines.set(taskId, { events: all.slice(surplus), omitted: omitted + surplus });
    const oldest = this.#timelines.keys().next();
    if (this.#timelines.size > maxTasks && !oldest.done) this.#timelines.delete(oldest.value);
  }

  of(taskId: string): Timeline {
    return this.#timelines.get(taskId) ?? empty;
  }
}
