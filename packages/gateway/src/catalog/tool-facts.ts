// Facts about a tool that the gateway needs before offering it, computed once per definition.
import { type ParamHeader, parseParamHeaders, type TaskSupport, type Tool, taskSupportOf } from "@lethe/protocol";

export interface ToolFacts {
  readonly paramHeaders: readonly ParamHeader[];
  /** The task support that an upstream of 2025-11-25 declares for the tool. */
  readonly taskSupport: TaskSupport | undefined;
  /** Whether the tool declares itself idempotent. */
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
