// Turns what a person typed into the value of a form's field.
import type { ElicitValue, FieldSchema } from "@lethe/protocol";
import { type Choice, choicesOf } from "./field-choices.ts";

export type ReadField = { readonly value: ElicitValue } | { readonly problem: string };

/** A choice may be given by its number, its value or its title. Bounds are not checked here. */
export function readField(schema: FieldSchema, text: string): ReadField {
  switch (schema.type) {
    case "boolean":
      return readBoolean(text);
    case "number":
    case "integer":
      return Number.isNaN(Number(text)) ? { problem: "a number is needed" } : { value: Number(text) };
    case "array": {
      const values = text.split(",").map((part) => readChoice(choicesOf(schema) ?? [], part.trim()));
      return values.includes(undefined) ? { problem: chooseSome } : { value: values as string[] };
    }
    default: {
      const choices = choicesOf(schema);
      const value = choices ? readChoice(choices, text) : text;
      return value === undefined ? { problem: "choose one of the list" } : { value };
    }
  }
}

const chooseSome = "choose from the list, separated by commas";

function readBoolean(text: string): ReadField {
  if (/^(y|yes|true)$/i.test(text)) return { value: true };
  if (/^(n|no|false)$/i.test(text)) return { value: false };
  return { problem: "yes or no is needed" };
}

function readChoice(choices: readonly Choice[], text: string): string | undefined {
  const lower = text.toLowerCase();
  const byName =
    choices.find(({ value }) => value === text) ??
    choices.find(({ value, title }) => value.toLowerCase() === lower || title.toLowerCase() === lower);
  // A choice that is itself a number wins over the place in the list.
  return (byName ?? (/^\d+$/.test(text) ? choices[Number(text) - 1] : undefined))?.value;
}
