// Visits all subschemas of a JSON Schema, within limits.
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";

/** Limits of a schema. */
export interface SchemaLimits {
  /** Limit of nested subschemas. Default 64. */
  maxDepth?: number;
  /** Limit of subschemas in total. Default 10,000. */
  maxSubschemas?: number;
}

/** A subschema and its location. */
export interface SchemaPlace {
  schema: JsonObject;
  /** JSON Pointer of this subschema; "" is the root. */
  pointer: string;
  // B-52
  /** The property names from the root to here; undefined if the path contains another keyword than `properties`. */
  properties: readonly string[] | undefined;
  /** The base URI of relative references, from the `$id`s on the path. */
  base: string;
}

/** Keywords whose value is a schema or, in some dialect, an array of schemas. */
const schemaKeywords: ReadonlySet<string> = new Set([
  ...["additionalItems", "additionalProperties", "allOf", "anyOf", "contains", "contentSchema", "else", "if", "items"],
  ...["not", "oneOf", "prefixItems", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"],
]);

/** Keywords whose value is an object of schemas. Values of all other keywords are data, not schemas. */
const mapKeywords: ReadonlySet<string> = new Set([
  ...["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"],
]);

const defaultMaxDepth = 64;
const defaultMaxSubschemas = 10_000;

/** The base URI of a schema without an absolute `$id`. */
export const rootBase = "schema:///";

/** Calls `visit` for the root and for each subschema, parents first. Throws Error with the location beyond a limit. */
export function walkSchema(root: JsonObject, limits: SchemaLimits, visit: (place: SchemaPlace) => void): void {
  const { maxDepth = defaultMaxDepth, maxSubschemas = defaultMaxSubschemas } = limits;
  let count = 0;

  function enter(value: unknown, from: SchemaPlace, steps: readonly string[], depth: number): void {
    if (Array.isArray(value)) {
      value.forEach((item, index) => {
        if (isJsonObject(item)) enter(item, from, [...steps, String(index)], depth);
      });
      return;
    }
    if (!isJsonObject(value)) return;
    const pointer = from.pointer + steps.map((step) => `/${escapeStep(step)}`).join("");
    if (depth > maxDepth) throw new Error(`the schema is nested deeper than ${maxDepth} levels at ${pointer}`);
    count++;
    if (count > maxSubschemas) throw new Error(`the schema has more than ${maxSubschemas} subschemas`);
    const place = { schema: value, pointer, properties: propertiesTo(from, steps), base: baseOf(value, from.base) };
    visit(place);
    for (const [key, inner] of Object.entries(value)) {
      if (schemaKeywords.has(key)) enter(inner, place, [key], depth + 1);
      else if (mapKeywords.has(key) && isJsonObject(inner)) {
        for (const [innerName, schema] of Object.entries(inner)) {
          if (isJsonObject(schema)) enter(schema, place, [key, innerName], depth + 1);
        }
      }
    }
  }

  enter(root, { schema: root, pointer: "", properties: [], base: rootBase }, [], 0);
}

/** Resolves `reference`; returns it unchanged if it is not a valid URI reference. */
export function resolveReference(reference: string, base: string): string {
  return URL.canParse(reference, base) ? new URL(reference, base).href : reference;
}

/** An absolute URI without its fragment. */
export function documentOf(uri: string): string {
  const hash = uri.indexOf("#");
  return hash === -1 ? uri : uri.slice(0, hash);
}

function propertiesTo(from: SchemaPlace, steps: readonly string[]): readonly string[] | undefined {
  const [keyword, name] = steps;
  if (keyword === undefined) return [];
  if (keyword !== "properties" || name === undefined || from.properties === undefined) return undefined;
  return [...from.properties, name];
}

function baseOf(schema: JsonObject, base: string): string {
  return typeof schema.$id === "string" ? documentOf(resolveReference(schema.$id, base)) : base;
}

function escapeStep(step: string): string {
  return step.replaceAll("~", "~0").replaceAll("/", "~1");
}
