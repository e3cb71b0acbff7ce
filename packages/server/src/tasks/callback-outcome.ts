// What comes of a request that completes a callback of a stored task.
import { toIssueText } from "../features/issue-text.ts";
import { compileSchema } from "../features/schema.ts";
import type { StoredTask } from "./stored-task.ts";
import { findCallback } from "./task-state.ts";

/**
 * "repeated": an earlier request completed it. "ended": its task has ended, expired, or waits no longer. `problem`: the body violates the
 * schema, and the callback stays open.
 */
export type CallbackOutcome = "completed" | "repeated" | "ended" | { readonly problem: string };

/** Undefined for a valid body, and for a callback that is not open or has no schema. */
export async function findBodyProblem(
  task: StoredTask | undefined,
  key: string,
  body: unknown,
): Promise<string | undefined> {
  const { schema } = task?.rounds ? findCallback(task.rounds, key) : {};
  if (!schema) return undefined;
  const { issues } = await compileSchema(schema, { direction: "input" }).check(body);
  return issues && toIssueText(issues);
}

export function whyNotOpen(task: StoredTask | undefined, key: string): "repeated" | "ended" {
  return task?.rounds && findCallback(task.rounds, key).end !== "timed out" ? "repeated" : "ended";
}
