// Forms of 2025-06-18 (D.6): a titled choice is `enum` with `enumNames`, and a choice of several is one box per option.
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ElicitSchema, FieldSchema, MultiEnumSchema, TitledConst } from "../../model/elicitation.ts";

export function toLegacyForm(schema: ElicitSchema): JsonObject {
  const fields = Object.entries(schema.properties).flatMap(([name, field]): [string, unknown][] =>
    field.type === "array" ? toBoxes(name, field) : [[name, toLegacyField(field)]],
  );
  const properties: JsonObject = Object.fromEntries(fields);
  const required = schema.required?.filter((name) => Object.hasOwn(properties, name));
  return required && required.length > 0 ? { type: "object", properties, required } : { type: "object", properties };
}

/** The boxes become the list of those that were ticked. Content that has no box of a field says nothing about it. */
export function fromLegacyContent(schema: ElicitSchema, content: JsonObject): JsonObject {
  const modern = { ...content };
  for (const [name, field] of Object.entries(schema.properties)) {
    if (field.type !== "array") continue;
    const choices = choicesOf(field).map((choice) => ({ value: choice.const, box: boxName(name, choice.const) }));
    if (choices.some(({ box }) => box in content)) {
      modern[name] = choices.filter(({ box }) => content[box] === true).map(({ value }) => value);
    }
    for (const { box } of choices) delete modern[box];
  }
  return modern;
}

function toLegacyField(field: Exclude<FieldSchema, MultiEnumSchema>): JsonObject {
  if (!("oneOf" in field) || !field.oneOf) return { ...field };
  const { oneOf, ...rest } = field;
  return { ...rest, enum: oneOf.map((choice) => choice.const), enumNames: oneOf.map((choice) => choice.title) };
}

function toBoxes(name: string, field: MultiEnumSchema): [string, JsonObject][] {
  return choicesOf(field).map((choice) => {
    const box: JsonObject = { type: "boolean", title: `${field.title ?? name}: ${choice.title}` };
    if (field.description !== undefined) box.description = field.description;
    box.default = field.default?.includes(choice.const) ?? false;
    return [boxName(name, choice.const), box];
  });
}

function choicesOf({ items }: MultiEnumSchema): readonly TitledConst[] {
  return items.anyOf ?? items.enum?.map((value) => ({ const: value, title: value })) ?? [];
}

function boxName(field: string, value: string): string {
  return `${field}[${value}]`;
}
