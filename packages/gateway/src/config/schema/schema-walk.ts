// Finds the schemas of members inside of a schema.
import type { z } from "zod";

type AnySchema = z.core.$ZodType;
type Definition = z.core.$ZodTypes["_zod"]["def"];

/** Returns the kinds of values that a schema accepts, without what wraps them. */
export function optionsOf(schema: AnySchema): AnySchema[] {
  const definition = schema._zod.def as Definition;
  switch (definition.type) {
    case "optional":
    case "default":
    case "readonly":
      return optionsOf(definition.innerType);
    case "pipe":
      // What a preprocessor returns is the value; what a transformer gets is it as well.
      return optionsOf(isTransform(definition.in) ? definition.out : definition.in);
    case "union":
      return definition.options.flatMap(optionsOf);
    default:
      return [schema];
  }
}

/** Returns the schema of a member or item. Undefined if no schema describes it. */
export function schemaAt(schema: AnySchema, key: string | number): AnySchema | undefined {
  for (const option of optionsOf(schema)) {
    const definition = option._zod.def as Definition;
    if (definition.type === "array") return definition.element;
    if (definition.type === "map") return definition.valueType;
    if (definition.type === "object" && Object.hasOwn(definition.shape, key)) return definition.shape[key];
  }
  return undefined;
}

/** Returns the keys that an object at a path may have. */
export function knownKeysAt(schema: AnySchema, path: readonly (string | number)[]): string[] {
  const found = path.reduce<AnySchema | undefined>((known, key) => known && schemaAt(known, key), schema);
  return found ? optionsOf(found).flatMap((option) => Object.keys(shapeOf(option))) : [];
}

/** Returns the members of an object. Empty for other kinds. */
function shapeOf(schema: AnySchema): Readonly<Record<string, AnySchema>> {
  const definition = schema._zod.def as Definition;
  return definition.type === "object" ? definition.shape : {};
}

function isTransform(schema: AnySchema): boolean {
  return schema._zod.def.type === "transform";
}
