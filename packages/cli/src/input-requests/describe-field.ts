// Describes the valid values of a form field.
import type { FieldSchema } from "@lethe/protocol";
import { toPrintableLine } from "../terminal/printable.ts";
import { choicesOf } from "./field-choices.ts";

/** Returns text such as "a number from 1 to 5" or "one of Fixed, Won't Fix". */
export function describeField(schema: FieldSchema): string {
  // Includes the bounds, for which the server may send strings.
  return toPrintableLine(toWords(schema));
}

function toWords(schema: FieldSchema): string {
  const choices = choicesOf(schema)?.map(({ value }) => value);
  switch (schema.type) {
    case "boolean":
      return "true or false";
    case "integer":
      return `a whole number${toRange(schema.minimum, schema.maximum)}`;
    case "number":
      return `a number${toRange(schema.minimum, schema.maximum)}`;
    case "array":
      return `a list of ${choices?.join(", ") ?? "texts"}${toCount(schema.minItems, schema.maxItems)}`;
    default: {
      if (choices) return `one of ${choices.join(", ")}`;
      const { minLength, maxLength, format } = schema as { minLength?: number; maxLength?: number; format?: string };
      const kind = format === undefined ? "text" : `text (${format})`;
      return `${kind}${toRange(minLength, maxLength, " characters long")}`;
    }
  }
}

function toRange(from: number | undefined, to: number | undefined, unit = ""): string {
  if (from !== undefined && to !== undefined) return ` from ${from} to ${to}${unit}`;
  if (from !== undefined) return ` of at least ${from}${unit}`;
  return to === undefined ? "" : ` of at most ${to}${unit}`;
}

function toCount(from: number | undefined, to: number | undefined): string {
  if (from !== undefined && to !== undefined) return `, ${from} to ${to} of them`;
  if (from !== undefined) return `, at least ${from} of them`;
  return to === undefined ? "" : `, at most ${to} of them`;
}
