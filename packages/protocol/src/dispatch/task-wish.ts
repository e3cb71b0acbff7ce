// What an edge and a core tell each other of tasks beside the wire: an older revision lets a client ask for a task, and
// lists which tools take that (D-38). Symbols, so that nobody can send them, and copies keep them.
import type { ModernRequest } from "../meta/envelope.ts";
import type { Tool } from "../model/tools.ts";

export interface TaskWish {
  /** How long the client wants the task to be kept. */
  readonly ttlMs?: number | undefined;
}

export type TaskSupport = "optional" | "required";

const wish: unique symbol = Symbol("lethe.taskWish");
const support: unique symbol = Symbol("lethe.taskSupport");

/** A call of a tool that is to be a task from the beginning, or to be refused. */
export function withTaskWish(request: ModernRequest, wanted: TaskWish): ModernRequest {
  return { ...request, [wish]: wanted } as ModernRequest;
}

export function taskWishOf(request: ModernRequest): TaskWish | undefined {
  return (request as { [wish]?: TaskWish })[wish];
}

/** Marks a tool in place. */
export function withTaskSupport(tool: Tool, supported: TaskSupport): Tool {
  return Object.assign(tool, { [support]: supported });
}

/** Undefined for a tool that is never a task. */
export function taskSupportOf(tool: object): TaskSupport | undefined {
  return (tool as { [support]?: TaskSupport })[support];
}
