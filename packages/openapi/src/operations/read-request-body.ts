// Reads the request body of an operation.
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import { resolveObject, type Spec } from "../spec/spec.ts";
import { SpecProblem } from "../spec/spec-problem.ts";
import type { RequestBody, Serialization } from "./operation.ts";
import { readSerialization } from "./read-parameters.ts";

export interface ReadRequestBody extends RequestBody {
  readonly isRequired: boolean;
  readonly schema: unknown;
  readonly description: string | undefined;
}

const kinds: readonly { readonly kind: RequestBody["kind"]; readonly matches: RegExp }[] = [
  { kind: "json", matches: /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i },
  { kind: "form", matches: /^application\/x-www-form-urlencoded\s*(?:;|$)/i },
  { kind: "multipart", matches: /^multipart\/form-data\s*(?:;|$)/i },
];

/** Of several media types, JSON comes first. Throws SpecProblem for a body that cannot be written. */
export function readRequestBody(spec: Spec, value: unknown): ReadRequestBody | undefined {
  if (value === undefined) return undefined;
  const { content, required, description } = resolveObject(spec, value);
  const types = isJsonObject(content) ? Object.keys(content) : [];
  for (const { kind, matches } of kinds) {
    const mediaType = types.find((type) => matches.test(type));
    if (mediaType === undefined || !isJsonObject(content)) continue;
    const media = resolveObject(spec, content[mediaType]);
    const schema = media.schema ?? true;
    if (kind !== "json") requireForm(spec, schema, kind);
    return {
      ...{ kind, mediaType, schema },
      encoding: kind === "form" ? readEncoding(media.encoding) : new Map(),
      isRequired: required === true,
      description: typeof description === "string" ? description : undefined,
    };
  }
  if (required !== true) return undefined;
  const got = types.length === 0 ? "no media type" : types.slice(0, 5).join(", ");
  throw new SpecProblem(`its body must be JSON, a form or multipart with text parts, got ${got}`);
}

function readEncoding(encoding: unknown): Map<string, Serialization> {
  const entries = isJsonObject(encoding) ? Object.entries(encoding) : [];
  const styles = ["form", "spaceDelimited", "pipeDelimited", "deepObject"] as const;
  return new Map(
    entries.flatMap(([name, value]) => {
      if (!isJsonObject(value) || value.style === undefined) return [];
      return [[name, readSerialization(value, styles, `the encoding of ${JSON.stringify(name)}`)] as const];
    }),
  );
}

function requireForm(spec: Spec, schema: unknown, kind: string): void {
  if (schema === true) return;
  const { properties } = resolveObject(spec, schema);
  if (!isJsonObject(properties)) return;
  for (const [name, property] of Object.entries(properties)) {
    if (!isFile(spec, property, 0)) continue;
    throw new SpecProblem(`its ${kind} body takes a file in ${JSON.stringify(name)}, and files are not supported`);
  }
}

/** A file, or an array or choice of files. */
function isFile(spec: Spec, value: unknown, depth: number): boolean {
  if (typeof value === "boolean" || depth > 2) return false;
  const schema: JsonObject = resolveObject(spec, value);
  if (schema.format === "binary") return true;
  if (typeof schema.contentMediaType === "string" && schema.contentEncoding === undefined) return true;
  const choices = [schema.anyOf, schema.oneOf].filter(Array.isArray).flat().slice(0, 20);
  return [...(schema.items === undefined ? [] : [schema.items]), ...choices].some((part) =>
    isFile(spec, part, depth + 1),
  );
}
