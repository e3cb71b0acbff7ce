// Rejects schemas before a validator compiles them: unknown dialects, external references, excessive size.
import type { JsonObject } from "../jsonrpc/message.ts";
import {
  documentOf,
  resolveReference,
  rootBase,
  type SchemaLimits,
  type SchemaPlace,
  walkSchema,
} from "./walk-schema.ts";

/** The dialect of a schema without `$schema`. */
export const defaultDialect = "https://json-schema.org/draft/2020-12/schema";

const dialects: ReadonlySet<string> = new Set([
  "json-schema.org/draft/2020-12/schema",
  "json-schema.org/draft/2019-09/schema",
  "json-schema.org/draft-07/schema",
]);

const referenceKeywords = ["$ref", "$dynamicRef", "$recursiveRef"] as const;

interface Reference {
  keyword: string;
  text: string;
  place: SchemaPlace;
}

/**
 * Throws an Error that names the location and the problem. Nothing is fetched: a reference must lead to this schema, to one of
 * its anchors or to a subschema with that `$id`.
 */
export function checkSchemaBounds(schema: JsonObject, limits: SchemaLimits = {}): void {
  const documents = new Set([rootBase]);
  const references: Reference[] = [];
  walkSchema(schema, limits, (place) => {
    checkDialect(place);
    documents.add(place.base);
    for (const keyword of referenceKeywords) {
      const text = place.schema[keyword];
      if (typeof text === "string" && !text.startsWith("#")) references.push({ keyword, text, place });
    }
  });
  for (const { keyword, text, place } of references) {
    if (documents.has(documentOf(resolveReference(text, place.base)))) continue;
    throw new Error(`${keyword} at ${nameOf(place)} leads out of the schema, to ${JSON.stringify(text)}`);
  }
}

function checkDialect(place: SchemaPlace): void {
  const dialect = place.schema.$schema;
  if (dialect === undefined) return;
  const name = typeof dialect === "string" ? dialect.replace(/^https?:\/\//, "").replace(/#$/, "") : "";
  if (dialects.has(name)) return;
  const expected = "draft 2020-12, 2019-09 or 07 of JSON Schema";
  throw new Error(`$schema at ${nameOf(place)} must name ${expected}, got ${JSON.stringify(dialect)}`);
}

function nameOf(place: SchemaPlace): string {
  return place.pointer === "" ? "the root" : place.pointer;
}
