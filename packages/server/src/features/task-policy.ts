// When the call of a tool goes on as a task (F-2, F-3), and what becomes of it when its process dies.

/**
 * `auto` answers like any call, and hands out a task when the work lasts longer than `afterMs` and the client declared
 * tasks with this request. `always` hands one out at once, and refuses a client that did not declare tasks (-32021).
 */
export type TaskMode = "auto" | "always" | "never";

export interface TaskPolicy {
  readonly mode: TaskMode;
  /** ms; of `auto`: how long the caller waits for the result itself. Default: the option of the server. */
  readonly afterMs?: number;
  /** ms from the task's creation, capped by the option of the server. Default: the option of the server. */
  readonly ttlMs?: number;
  /**
   * `resume`, the default, runs the handler again from the top with its journal: it gets the same answers, and what it
   * did in `ctx.once` is not done again. `fail` ends the task with an error.
   */
  readonly restart?: "resume" | "fail";
}

const never: TaskPolicy = { mode: "never" };

/** Throws an Error for what is no policy. */
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
  return policy;
}
