// Parses typed text into the value of a form field.
import type { ElicitValue, FieldSchema } from "@lethe/protocol";
import { type Choice, choicesOf } from "./field-choices.ts";

export type ReadField = { readonly value: ElicitValue } | { readonly problem: string };

/** Accepts the number, value or title of a choice. Does not check bounds. */
export function readField(schema: FieldSchema, text: string): ReadField {
  switch (schema.type) {
    case "boolean":
      return readBoolean(text);
    case "number":
    case "integer":
      return Number.isNaN(Number(text)) ? { problem: "enter a number" } : { value: Number(text) };
    case "array": {
      const values = text.split(",").map((part) => readChoice(choicesOf(schema) ?? [], part.trim()));
      return values.includes(undefined) ? { problem: chooseSome } : { value: values as string[] };
    }
    default: {
      const choices = choicesOf(schema);
      const value = choices ? readChoice(choices, text) : text;
      return value === undefined ? { problem: "enter one of the choices" } : { value };
    }
  }
}

const chooseSome = "enter one or more of the choices, separated by commas";

function readBoolean(text: string): ReadField {
  if (/^(y|yes|true)$/i.test(text)) return { value: true };
  if (/^(n|no|false)$/i.test(text)) return { value: false };
  return { problem: "enter yes or no" };
}

function readChoice(choices: readonly Choice[], text: string): string | undefined {
  const lower = text.toLowerCase();
  const byName =
    choices.find(({ value }) => value === text) ??
    choices.find(({ value, title }) => value.toLowerCase() === lower || title.toLowerCase() === lower);
  // A choice that is itself a number takes precedence over its position.
  return (byName ?? (/^\d+$/.test(text) ? choices[Number(text) - 1] : undefined))?.value;
}
