// Checks the answer to an elicitation form against its schema before it is sent. The server checks it again.
import type { ElicitSchema, ElicitValue, FieldSchema, TitledConst } from "@lethe/protocol";
import type { FormContent } from "./fill-defaults.ts";

/**
 * Checks the user's answer to an elicitation form before a handler returns it. Returns the first problem as text, or undefined for a valid
 * answer. Does not check the formats of strings, such as `email`: the server does.
 *
 * @example
 * import { checkContent } from "@lethe/client";
 *
 * const seats = { type: "integer" as const, minimum: 1, maximum: 9 };
 * const schema = { type: "object" as const, properties: { seats }, required: ["seats"] };
 * console.log(checkContent(schema, {})); // "seats" is missing
 * console.log(checkContent(schema, { seats: 0 })); // "seats" must be between 1 and 9
 */
export function checkContent(schema: ElicitSchema, content: FormContent): string | undefined {
  for (const field of schema.required ?? []) {
    if (!Object.hasOwn(content, field)) return `"${field}" is missing`;
  }
  for (const [field, value] of Object.entries(content)) {
    const declared = Object.hasOwn(schema.properties, field) ? schema.properties[field] : undefined;
    const problem = declared && checkField(declared, value);
    if (problem !== undefined) return `"${field}" must be ${problem}`;
  }
  return undefined;
}

function checkField(schema: FieldSchema, value: ElicitValue): string | undefined {
  switch (schema.type) {
    case "boolean":
      return typeof value === "boolean" ? undefined : "a boolean";
    case "number":
    case "integer":
      return checkNumber(schema.type, value, schema.minimum, schema.maximum);
    case "array":
      return checkList(optionsOf(schema.items.enum, schema.items.anyOf), value, schema.minItems, schema.maxItems);
    case "string":
      return checkText(schema, value);
    default:
      return undefined;
  }
}

function checkNumber(type: string, value: ElicitValue, minimum = -Infinity, maximum = Infinity): string | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return `a ${type}`;
  if (type === "integer" && !Number.isInteger(value)) return "an integer";
  return value < minimum || value > maximum ? `between ${minimum} and ${maximum}` : undefined;
}

function checkText(schema: FieldSchema & { type: "string" }, value: ElicitValue): string | undefined {
  if (typeof value !== "string") return "a string";
  const { enum: names, oneOf } = schema as { enum?: string[]; oneOf?: TitledConst[] };
  const options = optionsOf(names, oneOf);
  if (options) return options.includes(value) ? undefined : `one of ${options.join(", ")}`;
  const { minLength = 0, maxLength = Infinity } = schema as { minLength?: number; maxLength?: number };
  const length = [...value].length;
  return length < minLength || length > maxLength ? `${minLength} to ${maxLength} characters long` : undefined;
}

function checkList(
  options: readonly string[] | undefined,
  value: ElicitValue,
  minItems = 0,
  maxItems = Infinity,
): string | undefined {
  if (!Array.isArray(value) || value.some((item) => typeof item !== "string")) return "a list of strings";
  const known = options && new Set(options);
  if (known && !value.every((item) => known.has(item))) return `made of ${options?.join(", ")}`;
  return value.length < minItems || value.length > maxItems ? `${minItems} to ${maxItems} items long` : undefined;
}

function optionsOf(names: string[] | undefined, titled: TitledConst[] | undefined): string[] | undefined {
  return names ?? titled?.map(({ const: value }) => value);
}
