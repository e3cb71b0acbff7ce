// The routes of public names.
import type { ParamHeader, TaskSupport } from "@lethe/protocol";

/** Where a public name leads: the upstream, and the name there. */
export interface Route {
  upstream: string;
  name: string;
}

export interface ToolRoute extends Route {
  paramHeaders: readonly ParamHeader[];
  /** Whether `toOfferedTool` changed the tool. */
  isExtended: boolean;
  /** Whether the tool declares itself idempotent. */
  isIdempotent: boolean;
  /** The task support that an upstream of 2025-11-25 declares for the tool. */
  taskSupport: TaskSupport | undefined;
}
