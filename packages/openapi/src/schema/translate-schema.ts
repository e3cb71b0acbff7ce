// Translates a schema of OpenAPI 3.0 or 3.1 to JSON Schema 2020-12. References become references to `$defs`.
import { isJsonObject, type JsonObject, nameOf } from "@lethe/protocol";
import { SpecProblem } from "../spec/spec-problem.ts";

export type Direction = "input" | "output";

export interface TranslateContext {
  readonly direction: Direction;
  readonly ignoresSiblings: boolean;
  /** Returns the name in `$defs` of what a reference names. */
  readonly refer: (reference: unknown) => string;
}

type Translated = JsonObject | boolean;

/** Nested subschemas without references. */
const maxDepth = 48;
/** A longer pattern is left to the API. */
const maxPatternLength = 256;

const schemaKeywords: ReadonlySet<string> = new Set([
  ...["additionalProperties", "allOf", "anyOf", "contains", "contentSchema", "else", "if", "items", "not", "oneOf"],
  ...["prefixItems", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"],
]);
const mapKeywords: ReadonlySet<string> = new Set(["dependentSchemas", "patternProperties", "properties"]);
/** References name their targets from the root of the document, so that nothing refers to these. */
const dropped: ReadonlySet<string> = new Set([
  ...["$id", "$schema", "$anchor", "$comment", "$defs", "definitions", "$vocabulary"],
  ...["$ref", "nullable", "example", "externalDocs", "xml"],
]);
const dynamic = ["$dynamicRef", "$recursiveRef"] as const;

/** Throws SpecProblem for what is not a schema or cannot be expressed. */
export function translateSchema(schema: unknown, context: TranslateContext, depth = 0): Translated {
  if (typeof schema === "boolean") return schema;
  if (!isJsonObject(schema)) throw new SpecProblem(`a schema must be an object, got ${nameOf(schema)}`);
  if (depth > maxDepth) throw new SpecProblem(`a schema is nested deeper than ${maxDepth} levels`);
  const keyword = dynamic.find((name) => schema[name] !== undefined);
  if (keyword) throw new SpecProblem(`${keyword} is not supported: use $ref`);
  const { $ref } = schema;
  const reference = $ref === undefined ? {} : { $ref: `#/$defs/${context.refer($ref)}` };
  if ($ref !== undefined && context.ignoresSiblings) return reference;
  const hidden = context.direction === "input" ? "readOnly" : "writeOnly";
  const members = Object.entries(schema).flatMap(([name, value]): [string, unknown][] => {
    if (dropped.has(name) || name.startsWith("x-")) return [];
    if (name === "format" && context.direction === "output") return [];
    if (name === "properties") return [[name, translateMap(value, context, depth, hidden)]];
    if (mapKeywords.has(name)) return [[name, translateMap(value, context, depth)]];
    if (schemaKeywords.has(name)) return [[name, translateNested(value, context, depth)]];
    if (name === "required") return requiredOf(value, schema.properties, hidden);
    if (name === "pattern" && !isPattern(value)) return [];
    return [[name, value]];
  });
  const translated: JsonObject = { ...reference, ...Object.fromEntries(members) };
  if (schema.example !== undefined && translated.examples === undefined) translated.examples = [schema.example];
  limitExclusively(translated, "minimum", "exclusiveMinimum");
  limitExclusively(translated, "maximum", "exclusiveMaximum");
  return schema.nullable === true ? withNull(translated) : translated;
}

function translateNested(value: unknown, context: TranslateContext, depth: number): unknown {
  if (!Array.isArray(value)) return translateSchema(value, context, depth + 1);
  return value.map((item) => translateSchema(item, context, depth + 1));
}

/** A property that only the other direction has is left out. */
function translateMap(value: unknown, context: TranslateContext, depth: number, hidden?: string): JsonObject {
  if (!isJsonObject(value)) throw new SpecProblem(`properties must be an object, got ${nameOf(value)}`);
  const shown = Object.entries(value).filter(([, schema]) => !hidden || !isHidden(schema, hidden));
  return Object.fromEntries(shown.map(([name, schema]) => [name, translateSchema(schema, context, depth + 1)]));
}

function isHidden(schema: unknown, hidden: string): boolean {
  return isJsonObject(schema) && schema[hidden] === true;
}

function requiredOf(value: unknown, properties: unknown, hidden: string): [string, unknown][] {
  if (!Array.isArray(value)) return [];
  const schemas = isJsonObject(properties) ? properties : {};
  const isShown = (name: string) => !Object.hasOwn(schemas, name) || !isHidden(schemas[name], hidden);
  const names = value.filter((name) => typeof name === "string" && isShown(name));
  return [["required", [...new Set(names)]]];
}

/** Dialects of regular expressions differ. A pattern that JSON Schema does not know would fail every call. */
function isPattern(value: unknown): boolean {
  if (typeof value !== "string" || value.length > maxPatternLength) return false;
  try {
    new RegExp(value, "u");
    return true;
  } catch {
    return false;
  }
}

/** In OpenAPI 3.0, `exclusiveMinimum: true` makes `minimum` exclusive. */
function limitExclusively(schema: JsonObject, limit: "minimum" | "maximum", exclusive: string): void {
  const value = schema[exclusive];
  if (typeof value !== "boolean") return;
  delete schema[exclusive];
  if (!value || schema[limit] === undefined) return;
  schema[exclusive] = schema[limit];
  delete schema[limit];
}

function withNull(schema: JsonObject): JsonObject {
  const { type, enum: values } = schema;
  if (type === undefined) {
    const isOpen = !["$ref", "allOf", "anyOf", "oneOf", "enum", "const"].some((name) => schema[name] !== undefined);
    return isOpen ? schema : { anyOf: [schema, { type: "null" }] };
  }
  const types = Array.isArray(type) ? type : [type];
  return {
    ...schema,
    type: types.includes("null") ? types : [...types, "null"],
    ...(Array.isArray(values) && !values.includes(null) && { enum: [...values, null] }),
  };
}
