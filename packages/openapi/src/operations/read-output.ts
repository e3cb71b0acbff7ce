// Reads the schema of a successful response.
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import type { SchemaBundler } from "../schema/schema-bundler.ts";
import { resolveObject, type Spec } from "../spec/spec.ts";
import { SpecProblem } from "../spec/spec-problem.ts";

/**
 * Returns the schema of the JSON object that every successful response contains, or undefined if there is no such schema. A schema that
 * cannot be translated is left out, because the operation works without it.
 */
export function readOutput(spec: Spec, bundler: SchemaBundler, operation: JsonObject): JsonObject | undefined {
  const { responses } = operation;
  if (!isJsonObject(responses)) return undefined;
  const successes = Object.entries(responses).filter(([status]) => /^2(\d\d|XX)$/i.test(status));
  const [success] = successes;
  // With several successful responses, no single schema applies to all.
  if (!success || successes.length > 1) return undefined;
  try {
    const { content } = resolveObject(spec, success[1]);
    if (!isJsonObject(content)) return undefined;
    const media = Object.entries(content);
    const [[mediaType = "", value] = []] = media;
    if (media.length !== 1 || !/^application\/(?:[\w.+-]+\+)?json\b/i.test(mediaType)) return undefined;
    const { schema } = resolveObject(spec, value);
    const described = isObjectSchema(spec, schema, 0) ? resolveObject(spec, schema) : undefined;
    return described && bundler.bundle((translate) => ({ type: "object", ...(translate(described) as JsonObject) }));
  } catch (error) {
    if (error instanceof SpecProblem) return undefined;
    throw error;
  }
}

function isObjectSchema(spec: Spec, value: unknown, depth: number): boolean {
  if (!isJsonObject(value) || depth > 8) return false;
  const { type, properties, allOf, nullable } = resolveObject(spec, value);
  if (nullable === true) return false;
  if (type !== undefined) return type === "object";
  if (isJsonObject(properties)) return true;
  return Array.isArray(allOf) && allOf.some((part) => isObjectSchema(spec, part, depth + 1));
}
