// Where the public names of a catalogue lead.
import type { ParamHeader, TaskSupport } from "@lethe/protocol";

/** Where a public name leads: the upstream, and the name that it knows. */
export interface Route {
  upstream: string;
  name: string;
}

export interface ToolRoute extends Route {
  paramHeaders: readonly ParamHeader[];
  /** `toOfferedTool` has changed it. */
  isExtended: boolean;
  /** The tool says that running twice does what running once does (E-71). */
  isIdempotent: boolean;
  /** What an upstream of 2025-11-25 says of the tool (D-38). */
  taskSupport: TaskSupport | undefined;
}
