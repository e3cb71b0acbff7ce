// When a tool call becomes a task (F-2, F-3), and how it recovers from the death of its process.
import type { KnownOptions } from "@lethe/protocol";

/**
 * `auto` returns a result, or a task if the call takes longer than `afterMs` and the client declared
 * tasks with this request. `always` returns a task at once, and rejects clients without tasks (-32021).
 */
export type TaskMode = "auto" | "always" | "never";

/** Whether and when calls of a tool become tasks. Times are in ms. */
export interface TaskPolicy {
  readonly mode: TaskMode;
  /** For `auto`: how long a call may take before it becomes a task, in ms. Default: the option of the server. */
  readonly afterMs?: number;
  /** How long the task is kept from its creation, in ms, capped by the option of the server. Default: that option. */
  readonly ttlMs?: number;
  /**
   * After the process of the task died, `resume` (default) runs the handler again with its journal: input responses are
   * replayed and `ctx.once` is not repeated. `fail` ends the task with an error.
   */
  readonly restart?: "resume" | "fail";
  /** The queue in which the task waits for a process. Default "default". */
  readonly queue?: string;
  /** 0 to 9: waiting tasks with a higher priority run first. Default 0. */
  readonly priority?: number;
  /** How often the handler runs if it fails with a retryable error, an McpError with `data.retryAfterMs`. Default 1. */
  readonly attempts?: number;
}

export const knownTaskPolicy: KnownOptions<TaskPolicy> = {
  mode: "a value",
  afterMs: true,
  ttlMs: true,
  restart: true,
  queue: true,
  priority: true,
  attempts: true,
};

/** The queue of tasks whose tool names none. */
export const defaultQueue = "default";

const queueName = /^[\w.-]{1,64}$/;

const never: TaskPolicy = { mode: "never" };

/** Throws an Error for an invalid policy. */
export function toTaskPolicy(task: TaskMode | TaskPolicy | undefined): TaskPolicy {
  if (task === undefined) return never;
  const policy: TaskPolicy = typeof task === "string" ? { mode: task } : { ...task };
  if (!["auto", "always", "never"].includes(policy.mode)) {
    throw new Error(`"auto", "always" or "never" expected, got ${JSON.stringify(policy.mode)}`);
  }
  for (const member of ["afterMs", "ttlMs"] as const) {
    const value = policy[member];
    if (value !== undefined && !(value >= 0)) throw new Error(`${member}: a number of ms expected, got ${value}`);
  }
  const { priority = 0, attempts = 1, queue = defaultQueue } = policy;
  if (!Number.isInteger(priority) || priority < 0 || priority > 9) {
    throw new Error(`priority: an integer from 0 to 9 expected, got ${priority}`);
  }
  if (!Number.isInteger(attempts) || attempts < 1)
    throw new Error(`attempts: a positive integer expected, got ${attempts}`);
  if (!queueName.test(queue)) throw new Error(`queue: ${queueName} expected, got ${JSON.stringify(queue)}`);
  return policy;
}
