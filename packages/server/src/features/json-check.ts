// Validates values with JSON Schema. The validator is loaded with the first value that needs it, so that a server that does not
// use JSON Schema, or was not called yet, does not load it.
import type { CreateValidator, JsonObject, SchemaIssue, SchemaValidator, StandardResult } from "@lethe/protocol";
import { createPlainCheck } from "./plain-check.ts";

/** Validates a value and returns it as the schema converts it. */
export type Check = (value: unknown) => StandardResult<unknown> | Promise<StandardResult<unknown>>;

/**
 * An input value came from JSON. An output value may hold what JSON cannot express (undefined members, dates): it is
 * converted to JSON first, so that validation sees what the client sees.
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
