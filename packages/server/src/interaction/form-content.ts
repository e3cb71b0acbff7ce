// Validates the content of an elicitation against its form (E-86 to E-88), without coercion.
import type { ElicitSchema, ElicitValue, FieldSchema, JsonObject } from "@lethe/protocol";
import { hasFormat } from "./form-formats.ts";

export interface FormIssue {
  field: string;
  /** Continues a sentence that begins with the field: "must be a string". */
  message: string;
}

export type FormReading =
  | { content: { [field: string]: ElicitValue }; issues?: undefined }
  | { issues: readonly FormIssue[] };

/** The content with defaults for omitted fields, and without unknown fields. */
export function readFormContent(answer: JsonObject, schema: ElicitSchema): FormReading {
  const content: [string, ElicitValue][] = [];
  const issues: FormIssue[] = [];
  for (const [field, fieldSchema] of Object.entries(schema.properties)) {
    const value = Object.hasOwn(answer, field) ? answer[field] : fieldSchema.default;
    const message = value === undefined ? whyAbsent(field, schema) : whyInvalid(value, fieldSchema);
    if (message !== undefined) issues.push({ field, message });
    else if (value !== undefined) content.push([field, value as ElicitValue]);
  }
  return issues.length > 0 ? { issues } : { content: Object.fromEntries(content) };
}

function whyAbsent(field: string, schema: ElicitSchema): string | undefined {
  return schema.required?.includes(field) ? "is required" : undefined;
}

/** Undefined for a valid value. */
export function whyInvalid(value: unknown, schema: FieldSchema): string | undefined {
  switch (schema.type) {
    case "string":
      return whyInvalidString(value, schema);
    case "number":
    case "integer":
      return whyInvalidNumber(value, schema);
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false";
    case "array":
      return whyInvalidChoices(value, schema);
  }
}

function whyInvalidString(value: unknown, schema: FieldSchema & { type: "string" }): string | undefined {
  if (typeof value !== "string") return "must be a string";
  if ("enum" in schema || "oneOf" in schema) {
    const choices = schema.oneOf?.map((choice) => choice.const) ?? schema.enum ?? [];
    return choices.includes(value) ? undefined : "must be one of the choices";
  }
  const { minLength, maxLength, format } = schema as { minLength?: number; maxLength?: number; format?: "email" };
  // JSON Schema counts code points, JavaScript counts UTF-16 units.
  const length = minLength === undefined && maxLength === undefined ? 0 : [...value].length;
  if (minLength !== undefined && length < minLength) return `must have at least ${minLength} characters`;
  if (maxLength !== undefined && length > maxLength) return `must have at most ${maxLength} characters`;
  if (format !== undefined && !hasFormat(value, format)) return `must be a valid ${format}`;
  return undefined;
}

function whyInvalidNumber(
  value: unknown,
  { type, minimum, maximum }: FieldSchema & { type: "number" | "integer" },
): string | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return "must be a number";
  if (type === "integer" && !Number.isInteger(value)) return "must be a whole number";
  if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`;
  if (maximum !== undefined && value > maximum) return `must be at most ${maximum}`;
  return undefined;
}

function whyInvalidChoices(
  value: unknown,
  { items, minItems, maxItems }: FieldSchema & { type: "array" },
): string | undefined {
  const choices = new Set<unknown>(items.anyOf?.map((choice) => choice.const) ?? items.enum);
  if (!Array.isArray(value) || !value.every((item) => choices.has(item))) return "must be a list of the choices";
  if (minItems !== undefined && value.length < minItems) return `must have at least ${minItems} choices`;
  if (maxItems !== undefined && value.length > maxItems) return `must have at most ${maxItems} choices`;
  return undefined;
}
