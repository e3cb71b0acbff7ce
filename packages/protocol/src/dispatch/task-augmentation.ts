// Task augmentation of 2025-11-25 (D-38) behind the edges: a client of that revision asks for a call to run as a task, and
// its server lists which tools support that.
import type { ModernRequest, TaskAugmentation } from "../meta/envelope.ts";
import type { Tool } from "../model/tools.ts";

export type TaskSupport = "optional" | "required";

/** A symbol, so that a tool list that is written anywhere does not show it. */
const support: unique symbol = Symbol("lethe.taskSupport");

/** The call, to run as a task from its beginning or to be rejected. */
export function withTaskAugmentation(request: ModernRequest, taskAugmentation: TaskAugmentation): ModernRequest {
  return { ...request, taskAugmentation };
}

export function taskAugmentationOf(request: ModernRequest): TaskAugmentation | undefined {
  return request.taskAugmentation;
}

/** Marks a tool in place. */
export function withTaskSupport(tool: Tool, supported: TaskSupport): Tool {
  return Object.assign(tool, { [support]: supported });
}

/** Undefined for a tool that is never a task. */
export function taskSupportOf(tool: object): TaskSupport | undefined {
  return (tool as { [support]?: TaskSupport })[support];
}
