// Generates the arguments of a tool from its JSON Schema: required members only, always the same for one schema, and bounded,
// because the schema comes from the server.
import { isJsonObject, type JsonObject } from "@lethe/protocol";

/** Values generated for one tool. */
const maxValues = 1_000;
const maxDepth = 16;
/** Characters of one generated string. */
const maxSampleLength = 10_000;

/** Throws an Error for a schema that requires more than these limits allow. */
export function sampleArguments(schema: JsonObject): JsonObject {
  let left = maxValues;

  function sample(given: unknown, depth: number): unknown {
    left -= 1;
    if (left < 0) throw new Error(`its schema requires more than ${maxValues} values`);
    if (depth > maxDepth) throw new Error(`its schema requires more than ${maxDepth} levels`);
    const resolved = resolve(given, depth);
    for (const ready of [resolved.const, resolved.default, firstOf(resolved.examples), firstOf(resolved.enum)]) {
      if (ready !== undefined) return ready;
    }
    switch (typeOf(resolved)) {
      case "object":
        return sampleObject(resolved, depth);
      case "array":
        return sampleArray(resolved, depth);
      case "string":
        return sampleString(resolved);
      case "integer":
      case "number":
        return sampleNumber(resolved);
      case "boolean":
        return true;
      case "null":
        return null;
      default:
        return "demo";
    }
  }

  /** Merges a schema with its `$ref`, its `allOf` and the first branch of its `anyOf` or `oneOf`. */
  function resolve(given: unknown, depth: number): JsonObject {
    if (!isJsonObject(given)) return {};
    const { $ref, allOf, anyOf, oneOf, ...own } = given;
    if ($ref === undefined && !Array.isArray(allOf) && !Array.isArray(anyOf) && !Array.isArray(oneOf)) return given;
    if (depth > maxDepth) throw new Error(`its schema requires more than ${maxDepth} levels`);
    const parts = [$ref === undefined ? undefined : lookUp(schema, $ref), ...listOf(allOf)];
    const branch = firstOf(anyOf) ?? firstOf(oneOf);
    return [...parts, branch].reduce<JsonObject>((whole, part) => {
      left -= 1;
      if (left < 0) throw new Error(`its schema requires more than ${maxValues} values`);
      return part === undefined ? whole : merge(whole, resolve(part, depth + 1));
    }, own);
  }

  function sampleObject({ properties, required }: JsonObject, depth: number): JsonObject {
    const known = isJsonObject(properties) ? properties : {};
    const names = listOf(required).filter((name): name is string => typeof name === "string");
    const values = new Map<string, unknown>();
    for (const name of names) values.set(name, sample(Object.hasOwn(known, name) ? known[name] : {}, depth + 1));
    return Object.fromEntries(values);
  }

  function sampleArray({ items, prefixItems, minItems }: JsonObject, depth: number): unknown[] {
    const first = listOf(prefixItems);
    const count = Math.max(toNumber(minItems) ?? 0, 0);
    if (count > maxValues) throw new Error(`its schema requires more than ${maxValues} values`);
    return Array.from({ length: count }, (_none, index) => sample(first[index] ?? items, depth + 1));
  }

  const root = sample({ type: "object", ...schema }, 0);
  return isJsonObject(root) ? root : {};
}

function merge(a: JsonObject, b: JsonObject): JsonObject {
  const properties = {
    ...(isJsonObject(a.properties) && a.properties),
    ...(isJsonObject(b.properties) && b.properties),
  };
  const required = [...new Set([...listOf(a.required), ...listOf(b.required)])];
  return { ...b, ...a, properties, required };
}

/** Resolves a reference within the same schema, such as "#" or "#/$defs/Point". */
function lookUp(schema: JsonObject, reference: unknown): unknown {
  if (typeof reference !== "string" || !/^#(?:\/|$)/.test(reference)) return undefined;
  let target: unknown = schema;
  for (const part of reference.split("/").slice(1)) {
    const name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    target = isJsonObject(target) && Object.hasOwn(target, name) ? target[name] : undefined;
  }
  return target;
}

function typeOf({ type, properties, required, items }: JsonObject): unknown {
  if (Array.isArray(type)) return type.find((one) => one !== "null") ?? "null";
  if (type !== undefined) return type;
  if (isJsonObject(properties) || (Array.isArray(required) && required.length > 0)) return "object";
  return items === undefined ? undefined : "array";
}

const formats: Readonly<Record<string, string>> = {
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
  email: "demo@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  time: "12:00:00Z",
  uri: "https://example.com/",
  url: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

function sampleString({ format, minLength, maxLength }: JsonObject): string {
  const least = toNumber(minLength) ?? 0;
  if (least > maxSampleLength)
    throw new Error(`its schema requires a string of more than ${maxSampleLength} characters`);
  const base = typeof format === "string" && Object.hasOwn(formats, format) ? (formats[format] ?? "demo") : "demo";
  return base.padEnd(least, ".").slice(0, toNumber(maxLength) ?? undefined);
}

function sampleNumber({ type, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: JsonObject): number {
  const isWhole = type !== "number";
  const gap = isWhole ? 1 : 1e-3;
  const step = Math.abs(toNumber(multipleOf) ?? 0) || (isWhole ? 1 : 0);
  const bounds = { minimum: toNumber(minimum), above: toNumber(exclusiveMinimum) };
  const least = Math.max(
    bounds.minimum ?? Number.NEGATIVE_INFINITY,
    addGap(bounds.above, gap) ?? Number.NEGATIVE_INFINITY,
  );
  const most = Math.min(
    toNumber(maximum) ?? Number.POSITIVE_INFINITY,
    addGap(toNumber(exclusiveMaximum), -gap) ?? Number.POSITIVE_INFINITY,
  );
  const wanted = Math.min(Math.max(1, least), most);
  if (step === 0) return wanted;
  const above = Math.ceil(wanted / step) * step;
  return above <= most ? above : Math.floor(wanted / step) * step;
}

function addGap(bound: number | undefined, gap: number): number | undefined {
  return bound === undefined ? undefined : bound + gap;
}

function toNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function firstOf(value: unknown): unknown {
  return listOf(value)[0];
}
