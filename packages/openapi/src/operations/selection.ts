// Selects operations by ids, tags, methods and paths.
import type { KnownOptions } from "@lethe/protocol";
import type { FoundOperation } from "./operation.ts";

/** Selects operations. One match is enough. */
export interface OperationSelection {
  readonly operationIds?: readonly string[];
  readonly tags?: readonly string[];
  /**
   * A path with or without a method before it: `"GET /pets"`, `"/pets/{petId}"`. `*` matches one segment, `**` at the end any number.
   * `"GET /**"` selects all GET operations.
   */
  readonly paths?: readonly string[];
}

export const knownOperationSelection: KnownOptions<OperationSelection> = {
  operationIds: true,
  tags: true,
  paths: true,
};

/** Throws an Error for an entry that matches no operation. */
export function createSelection(
  option: "include" | "exclude",
  selection: OperationSelection,
  found: readonly FoundOperation[],
): (operation: FoundOperation) => boolean {
  const { operationIds = [], tags = [], paths = [] } = selection;
  const ids = new Set(operationIds);
  const groups = new Set(tags);
  const patterns = paths.map(toPattern);
  requireKnown(`${option}.operationIds`, ids, new Set(found.map(({ operationId = "" }) => operationId)));
  requireKnown(`${option}.tags`, groups, new Set(found.flatMap((operation) => operation.tags)));
  paths.forEach((path, index) => {
    if (found.some((operation) => patterns[index]?.(operation))) return;
    throw new Error(`${option}.paths: no operation of the spec matches ${JSON.stringify(path)}`);
  });
  return (operation) =>
    (operation.operationId !== undefined && ids.has(operation.operationId)) ||
    operation.tags.some((tag) => groups.has(tag)) ||
    patterns.some((matches) => matches(operation));
}

function requireKnown(place: string, wanted: ReadonlySet<string>, known: ReadonlySet<string>): void {
  for (const name of wanted) {
    if (!known.has(name)) throw new Error(`${place}: the spec has no ${JSON.stringify(name)}`);
  }
}

function toPattern(text: string): (operation: FoundOperation) => boolean {
  const [, method, path] = /^(?:([A-Za-z]+|\*) +)?(\/\S*)$/.exec(text) ?? [];
  if (path === undefined) {
    throw new Error(`a path such as "GET /pets/*" expected, got ${JSON.stringify(text)}`);
  }
  const steps = path.split("/");
  const isOpen = steps.at(-1) === "**";
  if (isOpen) steps.pop();
  const wanted = method === "*" ? undefined : method?.toLowerCase();
  return (operation) => {
    if (wanted !== undefined && operation.method !== wanted) return false;
    const segments = operation.path.split("/");
    if (isOpen ? segments.length < steps.length : segments.length !== steps.length) return false;
    return steps.every((step, index) => step === "*" || step === segments[index]);
  };
}
