// Lists the operations of a spec and gives each a name.
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import { resolveObject, type Spec } from "../spec/spec.ts";
import { SpecProblem } from "../spec/spec-problem.ts";
import { type FoundOperation, type Method, methods } from "./operation.ts";

/** An operation of the spec that is not served although the options select it, or that the defaults leave out. */
export interface SkippedOperation {
  /** Its operationId, or its method and path. */
  readonly operation: string;
  readonly reason: string;
}

/** Clients and models limit names to 64 characters, and a mount adds its prefix. */
const maxNameLength = 56;

/** `skip` receives path items that cannot be read. Names do not depend on the selection, so that they stay when it changes. */
export function findOperations(spec: Spec, skip: (skipped: SkippedOperation) => void): FoundOperation[] {
  const createName = createNames();
  return Object.entries(spec.root.paths as JsonObject).flatMap(([path, value]) => {
    if (path.startsWith("x-")) return [];
    try {
      const pathItem = resolveObject(spec, value);
      return methods.flatMap((method) => findAt(path, method, pathItem, createName));
    } catch (error) {
      if (!(error instanceof SpecProblem)) throw error;
      skip({ operation: path, reason: error.message });
      return [];
    }
  });
}

function findAt(
  path: string,
  method: Method,
  pathItem: JsonObject,
  createName: (wanted: string) => string,
): FoundOperation[] {
  const operation = pathItem[method];
  if (!isJsonObject(operation)) return [];
  const { operationId, tags, deprecated } = operation;
  const id = typeof operationId === "string" && operationId !== "" ? operationId : undefined;
  return [
    {
      ...{ method, path, pathItem, operation, operationId: id },
      name: createName(id ?? `${method}_${path.replaceAll(/[{}]/g, "")}`),
      tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [],
      isDeprecated: deprecated === true,
    },
  ];
}

/** Equal names get a number, in the order of the spec. */
function createNames(): (wanted: string) => string {
  const used = new Set<string>();
  const counts = new Map<string, number>();
  return (wanted) => {
    const legal = wanted.replace(/[^A-Za-z0-9_.-]+/g, "_").replace(/^_+|_+$/g, "");
    const base = legal.slice(0, maxNameLength) || "operation";
    let count = counts.get(base) ?? 1;
    let name = base;
    while (used.has(name)) {
      count += 1;
      name = `${base}_${count}`;
    }
    counts.set(base, count);
    used.add(name);
    return name;
  };
}
