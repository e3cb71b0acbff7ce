// A spec: an OpenAPI document whose version is supported, and its local references.
import { isJsonObject, type JsonObject, nameOf } from "@lethe/protocol";
import { SpecProblem } from "./spec-problem.ts";

/** References to references are followed this far. */
const maxHops = 32;
/** Steps of one JSON Pointer. */
const maxSteps = 64;

export interface Spec {
  readonly root: JsonObject;
  /** In OpenAPI 3.0, members beside a `$ref` have no effect. */
  readonly ignoresSiblings: boolean;
}

/** Throws an Error for a value that is not an OpenAPI 3.0 or 3.1 document. */
export function toSpec(value: unknown): Spec {
  if (!isJsonObject(value)) throw new Error(`an OpenAPI document (an object) expected, got ${nameOf(value)}`);
  const { openapi, swagger } = value;
  if (swagger !== undefined) {
    throw new Error(`OpenAPI 3.0 or 3.1 expected, got Swagger ${JSON.stringify(swagger)}: convert the document first`);
  }
  if (typeof openapi !== "string" || !/^3\.[01](\.|$)/.test(openapi)) {
    throw new Error(`OpenAPI 3.0 or 3.1 expected, got "openapi": ${JSON.stringify(openapi) ?? "nothing"}`);
  }
  if (!isJsonObject(value.paths)) throw new Error(`"paths" must be an object, got ${nameOf(value.paths)}`);
  return { root: value, ignoresSiblings: openapi.startsWith("3.0") };
}

/** Returns the object itself or the one that its `$ref` leads to. Throws SpecProblem for a reference that does not lead to an object. */
export function resolveObject(spec: Spec, value: unknown): JsonObject {
  let current = value;
  for (let hops = 0; hops < maxHops; hops++) {
    if (!isJsonObject(current)) throw new SpecProblem(`an object expected, got ${nameOf(current)}`);
    if (current.$ref === undefined) return current;
    current = targetOf(spec, current.$ref);
  }
  throw new SpecProblem(`more than ${maxHops} references lead to each other`);
}

/** Returns what a reference names. Throws SpecProblem for an external reference and for one that leads nowhere. */
export function targetOf(spec: Spec, reference: unknown): unknown {
  if (typeof reference !== "string") throw new SpecProblem(`$ref must be a string, got ${nameOf(reference)}`);
  const shown = JSON.stringify(reference.slice(0, 200));
  if (reference !== "#" && !reference.startsWith("#/")) {
    throw new SpecProblem(`the reference ${shown} leads out of the document: bundle the spec into one document`);
  }
  const steps = reference.split("/").slice(1);
  if (steps.length > maxSteps) throw new SpecProblem(`the reference ${shown} has more than ${maxSteps} steps`);
  let current: unknown = spec.root;
  for (const step of steps) {
    const key = decoded(step, shown);
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) {
      throw new SpecProblem(`the reference ${shown} leads nowhere`);
    }
    current = (current as JsonObject)[key];
  }
  return current;
}

function decoded(step: string, shown: string): string {
  try {
    return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    throw new SpecProblem(`the reference ${shown} is not valid percent-encoding`);
  }
}
