// Enumerations of a form (E-86): converts the spellings of JSON Schema to those that a form supports.
import { isJsonObject, type JsonObject, type MultiEnumSchema, type SingleEnumSchema } from "@lethe/protocol";

export interface Choice {
  const: string;
  title: string | undefined;
}

/** The strings that a schema lists: `const`, `enum`, or a union of those. Undefined for other schemas. */
export function choicesOf(schema: JsonObject): readonly Choice[] | undefined {
  if (schema.type !== undefined && schema.type !== "string") return undefined;
  if (typeof schema.const === "string") return [{ const: schema.const, title: titleOf(schema) }];
  if (Array.isArray(schema.enum)) return enumChoices(schema.enum, schema.enumNames);
  const union = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(union)) return undefined;
  const choices = union.map((member) => (isJsonObject(member) ? choicesOf(member) : undefined));
  return choices.length > 0 && choices.every((part) => part !== undefined) ? choices.flat() : undefined;
}

/** `enumNames` is the legacy spelling of titles. */
function enumChoices(values: readonly unknown[], names: unknown): readonly Choice[] | undefined {
  if (values.length === 0 || !values.every((value) => typeof value === "string")) return undefined;
  return values.map((value, index) => ({ const: value, title: Array.isArray(names) ? names[index] : undefined }));
}

function titleOf({ title, description }: JsonObject): string | undefined {
  if (typeof title === "string") return title;
  return typeof description === "string" ? description : undefined;
}

/** `enumNames` are kept for clients of older revisions, which do not know titles. */
export function toSingleEnum(choices: readonly Choice[], { enumNames }: JsonObject): SingleEnumSchema {
  if (Array.isArray(enumNames) && enumNames.every((name) => typeof name === "string")) {
    return { type: "string", enum: choices.map((choice) => choice.const), enumNames };
  }
  const titled = toTitled(choices);
  return titled ? { type: "string", oneOf: titled } : { type: "string", enum: choices.map((choice) => choice.const) };
}

export function toMultiEnum(choices: readonly Choice[], { minItems, maxItems }: JsonObject): MultiEnumSchema {
  const titled = toTitled(choices);
  const items = titled ? { anyOf: titled } : { type: "string" as const, enum: choices.map((choice) => choice.const) };
  const field: MultiEnumSchema = { type: "array", items };
  if (typeof minItems === "number") field.minItems = minItems;
  if (typeof maxItems === "number") field.maxItems = maxItems;
  return field;
}

/** If any choice has a title, the others are titled by their value. */
function toTitled(choices: readonly Choice[]): { const: string; title: string }[] | undefined {
  if (choices.every((choice) => choice.title === undefined)) return undefined;
  return choices.map((choice) => ({ const: choice.const, title: choice.title ?? choice.const }));
}
