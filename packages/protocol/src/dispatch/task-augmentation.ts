// Task augmentation of 2025-11-25 (D-38) behind the edges: the client asks to run a call as a task, and the tool list states
// which tools support it.
import type { ModernRequest, TaskAugmentation } from "../meta/envelope.ts";
import type { Tool } from "../model/tools.ts";

/** Whether a tool may run as a task or must. */
export type TaskSupport = "optional" | "required";

/** A symbol, so that a serialised tool list does not contain it. */
const support: unique symbol = Symbol("lethe.taskSupport");

/** A copy of the call that runs as a task or is rejected. */
export function withTaskAugmentation(request: ModernRequest, taskAugmentation: TaskAugmentation): ModernRequest {
  return { ...request, taskAugmentation };
}

/** Undefined for a call that does not ask for a task. */
export function taskAugmentationOf(request: ModernRequest): TaskAugmentation | undefined {
  return request.taskAugmentation;
}

/** Marks `tool` in place and returns it. */
export function withTaskSupport(tool: Tool, supported: TaskSupport): Tool {
  return Object.assign(tool, { [support]: supported });
}

/** Undefined for a tool that never runs as a task. */
export function taskSupportOf(tool: object): TaskSupport | undefined {
  return (tool as { [support]?: TaskSupport })[support];
}
