// Checks values by JSON Schema. The validator is loaded with the first value that takes it, so that a server that does not
// use JSON Schema, or has not been called yet, does not pay for it.
import type { CreateValidator, JsonObject, SchemaIssue, SchemaValidator, StandardResult } from "@lethe/protocol";
import { createPlainCheck } from "./plain-check.ts";

/** Checks a value, and gives it back as the schema makes it. */
export type Check = (value: unknown) => StandardResult<unknown> | Promise<StandardResult<unknown>>;

/**
 * On the way in a value came from JSON. On the way out it may hold what JSON cannot (undefined members, dates): it is
 * checked, and given back, as what the other side will see.
 */
export function createJsonCheck(
  schema: JsonObject,
  direction: "input" | "output",
  createValidator: CreateValidator | undefined,
): Check {
  const prepare = direction === "input" ? asIs : toJsonValue;
  const isPlainlyValid = createValidator ? undefined : createPlainCheck(schema);
  let validator = createValidator?.(schema);
  return (value) => {
    const ready = prepare(value);
    if (isPlainlyValid?.(ready)) return { value: ready };
    if (validator !== undefined) return toResult(validator, ready);
    return import("./json-validator.ts").then((module) => {
      validator ??= module.createValidator(schema);
      return toResult(validator, ready);
    });
  };
}

function asIs(value: unknown): unknown {
  return value;
}

function toJsonValue(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text === undefined ? undefined : JSON.parse(text);
}

function toResult(validator: SchemaValidator, value: unknown): StandardResult<unknown> {
  if (value === undefined) return { issues: [{ message: "a JSON value expected, got nothing" }] };
  const issues = validator.validate(value);
  return issues.length === 0 ? { value } : { issues: issues.map(toIssue) };
}

function toIssue({ path, message }: SchemaIssue): { message: string; path: string[] } {
  const steps = path.split("/").slice(1);
  return { message, path: steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~")) };
}
