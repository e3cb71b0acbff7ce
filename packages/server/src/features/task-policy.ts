// When a tool call becomes a task (F-2, F-3), and how it recovers from the death of its process.

/**
 * `auto` returns a result, or a task if the call takes longer than `afterMs` and the client declared
 * tasks with this request. `always` returns a task at once, and rejects clients without tasks (-32021).
 */
export type TaskMode = "auto" | "always" | "never";

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
}

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
  return policy;
}
