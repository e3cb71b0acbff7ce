// Finds the operation of a path of the administration API.

import { adminPath } from "./api/openapi.ts";
import { type Operation, type OperationName, operations } from "./api/operations.ts";

export interface FoundOperation {
  readonly name: OperationName;
  readonly operation: Operation<unknown>;
  /** The steps of the path that the operation names. */
  readonly path: Readonly<Record<string, string>>;
}

const table = (Object.entries(operations) as [OperationName, Operation<unknown>][]).map(([name, operation]) => ({
  ...{ name, operation, steps: operation.path.split("/").slice(1) },
}));

/** Undefined for a path without an operation. */
export function findOperation(path: string): FoundOperation | undefined {
  if (path !== adminPath && !path.startsWith(`${adminPath}/`)) return undefined;
  // The log shows the address of the API, which people open.
  const given = path === adminPath ? ["overview"] : path.slice(adminPath.length + 1).split("/");
  for (const { name, operation, steps } of table) {
    const found = match(steps, given);
    if (found) return { name, operation, path: found };
  }
  return undefined;
}

function match(steps: readonly string[], given: readonly string[]): Record<string, string> | undefined {
  if (steps.length !== given.length) return undefined;
  const found: Record<string, string> = {};
  for (const [index, step] of steps.entries()) {
    const value = given[index] ?? "";
    if (step.startsWith("{")) {
      const decoded = decode(value);
      if (decoded === undefined) return undefined;
      found[step.slice(1, -1)] = decoded;
    } else if (step !== value) return undefined;
  }
  return found;
}

function decode(step: string): string | undefined {
  try {
    return decodeURIComponent(step);
  } catch {
    return undefined;
  }
}
