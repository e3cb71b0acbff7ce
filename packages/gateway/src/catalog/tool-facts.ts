// What the gateway must know about a tool before it offers it, found once for each definition.
import { type ParamHeader, parseParamHeaders, type TaskSupport, type Tool, taskSupportOf } from "@lethe/protocol";

export interface ToolFacts {
  readonly paramHeaders: readonly ParamHeader[];
  /** What an upstream of 2025-11-25 says of the tool (D-38). */
  readonly taskSupport: TaskSupport | undefined;
  /** The tool says that running twice does what running once does (E-71). */
  readonly isIdempotent: boolean;
  /** Why the tool cannot be offered. */
  readonly defect?: string;
}

const known = new WeakMap<Tool, ToolFacts>();

export function factsOf(tool: Tool): ToolFacts {
  let facts = known.get(tool);
  if (!facts) {
    facts = find(tool);
    known.set(tool, facts);
  }
  return facts;
}

function find(tool: Tool): ToolFacts {
  const taskSupport = taskSupportOf(tool);
  const isIdempotent = tool.annotations?.readOnlyHint === true || tool.annotations?.idempotentHint === true;
  try {
    return { paramHeaders: parseParamHeaders(tool.inputSchema), taskSupport, isIdempotent };
  } catch (error) {
    return { paramHeaders: [], taskSupport, isIdempotent, defect: (error as Error).message };
  }
}
