// A fast path for schemas of flat objects with simple members. It accepts valid values without the
// validator; all other schemas and values go to the validator.
import { isJsonObject, type JsonObject } from "@lethe/protocol";

/** True if valid. False if the validator must decide. */
export type PlainCheck = (value: unknown) => boolean;

/** Annotations, which do not affect validity. */
const annotations = [
  "$schema",
  "$comment",
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "x-mcp-header",
];
const objectKeywords: ReadonlySet<string> = new Set([
  "type",
  "properties",
  "required",
  "additionalProperties",
  ...annotations,
]);
const memberKeywords: ReadonlySet<string> = new Set(["type", ...annotations]);
const memberTypes: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean"]);

/** Undefined for a schema with keywords beyond this fast path. */
export function createPlainCheck(schema: JsonObject): PlainCheck | undefined {
  const { type, properties = {}, required = [], additionalProperties = true } = schema;
  if (type !== "object" || !hasOnly(schema, objectKeywords) || typeof additionalProperties !== "boolean")
    return undefined;
  if (!Array.isArray(required) || !isJsonObject(properties)) return undefined;
  const types = new Map<string, unknown>();
  for (const [name, member] of Object.entries(properties)) {
    if (!isJsonObject(member) || !memberTypes.has(member.type) || !hasOnly(member, memberKeywords)) return undefined;
    types.set(name, member.type);
  }
  return (value) => {
    if (!isJsonObject(value)) return false;
    for (const name of required) if (!Object.hasOwn(value, name)) return false;
    for (const name in value) {
      const expected = types.get(name);
      if (expected === undefined ? !additionalProperties : !isOfType(value[name], expected)) return false;
    }
    return true;
  };
}

function hasOnly(schema: JsonObject, keywords: ReadonlySet<string>): boolean {
  for (const keyword in schema) if (!keywords.has(keyword)) return false;
  return true;
}

function isOfType(value: unknown, expected: unknown): boolean {
  return expected === "integer" ? Number.isInteger(value) : typeof value === expected;
}
