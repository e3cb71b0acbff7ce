// Reads what the command line needs from the input schema of a tool, which may be any JSON Schema.
import { isJsonObject } from "@lethe/protocol";

export type Schema = { readonly [member: string]: unknown };

/** References that are followed to one schema. */
const maxReferences = 16;

/** Follows local references, such as "#/$defs/point" or "#/properties/a". */
export function resolveSchema(schema: unknown, root: Schema): Schema {
  let current = schema;
  for (let count = 0; count < maxReferences; count++) {
    if (!isJsonObject(current)) return {};
    const { $ref } = current;
    if (typeof $ref !== "string" || !$ref.startsWith("#/")) return current;
    current = $ref
      .slice(2)
      .split("/")
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce<unknown>((at, part) => (isJsonObject(at) && Object.hasOwn(at, part) ? at[part] : undefined), root);
  }
  return {};
}

export function propertiesOf(schema: Schema): { readonly [name: string]: unknown } {
  return isJsonObject(schema.properties) ? schema.properties : {};
}

export function requiredNames({ required }: Schema): readonly unknown[] {
  return Array.isArray(required) ? required : [];
}

/** The schemas of which a value may have any, the schema itself included. */
export function alternatives(schema: Schema, root: Schema): Schema[] {
  const lists = [schema.anyOf, schema.oneOf].filter((list) => Array.isArray(list)).flat();
  return lists.length === 0 ? [schema] : lists.map((one) => resolveSchema(one, root));
}

/** The types of a schema: of "type", or of its enum or const. Empty if any type is allowed. */
export function typesOf(schema: Schema, root: Schema): string[] {
  return alternatives(schema, root).flatMap(({ type, enum: members, const: only }) => {
    if (typeof type === "string") return [type];
    if (Array.isArray(type)) return type.filter((one) => typeof one === "string");
    const values = Array.isArray(members) ? members : only === undefined ? [] : [only];
    return values.map((value) => (value === null ? "null" : typeof value));
  });
}

/** The schema of list items, if lists are allowed. */
export function itemSchema(schema: Schema, root: Schema): Schema | undefined {
  const list = alternatives(schema, root).find((one) => typesOf(one, root).includes("array"));
  return list && resolveSchema(list.items, root);
}
