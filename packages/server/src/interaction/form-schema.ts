// Converts an author's schema to the restricted schema of an elicitation form (E-86).
import {
  type ElicitSchema,
  type FieldSchema,
  isJsonObject,
  isStandardSchema,
  type JsonObject,
  type NumberSchema,
  nameOf,
  type StringSchema,
  toJsonSchema,
} from "@lethe/protocol";
import type { ElicitInput } from "../features/answer.ts";
import { rawShapeAdvice } from "../features/raw-shape.ts";
import { type Choice, choicesOf, toMultiEnum, toSingleEnum } from "./form-choices.ts";
import { whyInvalid } from "./form-content.ts";
import { isFormFormat } from "./form-formats.ts";
import { InteractionError } from "./interaction-error.ts";

/** Converted schemas, by the author's schema. A schema made in the handler is converted each time. */
const converted = new WeakMap<object, ElicitSchema>();

/**
 * Throws an InteractionError that names the field unless the schema is a flat object of primitive fields. Keywords that
 * a form does not support are dropped; a Standard Schema still validates them in the response.
 */
export function toElicitSchema(input: ElicitInput): ElicitSchema {
  if (!isStandardSchema(input) && !isJsonObject(input)) {
    throw new InteractionError(`elicitation form: a schema expected as the second argument, got ${nameOf(input)}`);
  }
  const known = converted.get(input);
  if (known) return known;
  const schema = toForm(isStandardSchema(input) ? toJsonSchema(input, "input") : (input as unknown as JsonObject));
  converted.set(input, schema);
  return schema;
}

function toForm(schema: JsonObject): ElicitSchema {
  const advice = rawShapeAdvice(schema);
  if (advice !== undefined) throw new InteractionError(`elicitation form: ${advice}`);
  if (schema.type !== "object" || (schema.properties !== undefined && !isJsonObject(schema.properties))) {
    throw new InteractionError('elicitation form: a schema with type "object" expected');
  }
  const properties = Object.entries(schema.properties ?? {}).map(([name, field]) => [name, toField(name, field)]);
  const form: ElicitSchema = { type: "object", properties: Object.fromEntries(properties) };
  if (Array.isArray(schema.required)) {
    const required = schema.required.filter((name) => Object.hasOwn(form.properties, name));
    if (required.length > 0) form.required = required;
  }
  return form;
}

function toField(name: string, schema: unknown): FieldSchema {
  const field = isJsonObject(schema) ? convertField(schema) : undefined;
  if (!field || !isJsonObject(schema)) {
    const flat = "a string, a number, a boolean, a string enum or a list of enum values";
    throw new InteractionError(`elicitation form: field "${name}" must be ${flat}, got ${describe(schema)}`);
  }
  if (typeof schema.title === "string") field.title = schema.title;
  if (typeof schema.description === "string") field.description = schema.description;
  if (schema.default !== undefined) {
    const issue = whyInvalid(schema.default, field);
    if (issue) throw new InteractionError(`elicitation form: the default of field "${name}" ${issue}`);
    field.default = schema.default as never;
  }
  return field;
}

/** Undefined if a form cannot show the field. */
function convertField(schema: JsonObject): FieldSchema | undefined {
  if (schema.type === "boolean" || typeof schema.const === "boolean") return { type: "boolean" };
  const choices: readonly Choice[] | undefined = choicesOf(schema);
  if (choices) return toSingleEnum(choices, schema);
  if (["enum", "const", "oneOf", "anyOf", "allOf", "$ref"].some((keyword) => keyword in schema)) return undefined;
  if (schema.type === "string") return toText(schema);
  if (schema.type === "number" || schema.type === "integer") return toNumber(schema.type, schema);
  if (schema.type === "array" && isJsonObject(schema.items)) {
    const items = choicesOf(schema.items);
    return items && toMultiEnum(items, schema);
  }
  return undefined;
}

function toText({ minLength, maxLength, format }: JsonObject): StringSchema {
  const field: StringSchema = { type: "string" };
  if (typeof minLength === "number") field.minLength = minLength;
  if (typeof maxLength === "number") field.maxLength = maxLength;
  if (isFormFormat(format)) field.format = format;
  return field;
}

/** An exclusive bound becomes the nearest inclusive one: exact for integers, a little looser for other numbers. */
function toNumber(type: "number" | "integer", schema: JsonObject): NumberSchema {
  const isInteger = type === "integer";
  const field: NumberSchema = { type };
  const above = numberOr(schema.exclusiveMinimum, -Infinity);
  const below = numberOr(schema.exclusiveMaximum, Infinity);
  const minimum = Math.max(numberOr(schema.minimum, -Infinity), isInteger ? Math.floor(above) + 1 : above);
  const maximum = Math.min(numberOr(schema.maximum, Infinity), isInteger ? Math.ceil(below) - 1 : below);
  // Libraries write the safe integers as bounds, which tell a user nothing.
  if (minimum > Number.MIN_SAFE_INTEGER) field.minimum = minimum;
  if (maximum < Number.MAX_SAFE_INTEGER) field.maximum = maximum;
  return field;
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

function describe(schema: unknown): string {
  if (!isJsonObject(schema)) return "no schema";
  if (Array.isArray(schema.type)) return schema.type.join(" or ");
  if (typeof schema.type === "string" && !("enum" in schema)) return schema.type === "array" ? "a list" : schema.type;
  return `a schema with ${Object.keys(schema).join(", ") || "no keywords"}`;
}
