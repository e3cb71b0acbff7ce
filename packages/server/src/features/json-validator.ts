// The JSON Schema validator behind a server: it generates no code, so it runs where eval is forbidden.
import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";
import { type JsonObject, type SchemaIssue, type SchemaValidator, walkSchema } from "@lethe/protocol";

/** The library compares every item with every other, so `uniqueItems` also bounds the array. */
const maxUniqueItems = 4096;

/** These only say that something below them failed; what failed comes after them. */
const wrappers: ReadonlySet<string> = new Set([
  "$ref",
  "allOf",
  "items",
  "prefixItems",
  "properties",
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
]);

const none: readonly SchemaIssue[] = [];
const malformedName: readonly SchemaIssue[] = [{ path: "", message: "has a property name that is not valid Unicode" }];

/** Throws Error for a schema that this validator cannot take. */
export function createValidator(schema: JsonObject): SchemaValidator {
  // A copy, for the library writes its notes into the schema.
  const own = structuredClone(schema);
  walkSchema(own, {}, ({ schema: place, pointer }) => {
    if (place.$dynamicRef !== undefined) throw new Error(`$dynamicRef at ${pointer} is not supported: use $ref`);
    if (place.uniqueItems === true) place.maxItems = Math.min(Number(place.maxItems ?? maxUniqueItems), maxUniqueItems);
  });
  const validator = new Validator(own as Schema, draftOf(schema), true);
  return {
    validate(value) {
      try {
        const { valid, errors } = validator.validate(value);
        return valid ? none : toIssues(errors);
      } catch (error) {
        // The library writes property names into URIs, which cannot hold half a surrogate pair.
        if (error instanceof URIError) return malformedName;
        throw error;
      }
    },
  };
}

function draftOf({ $schema }: JsonObject): "2020-12" | "2019-09" | "7" {
  if (typeof $schema !== "string") return "2020-12";
  if ($schema.includes("draft/2019-09")) return "2019-09";
  return $schema.includes("draft-07") ? "7" : "2020-12";
}

function toIssues(errors: readonly OutputUnit[]): SchemaIssue[] {
  const leaves = errors.filter(({ keyword }) => !wrappers.has(keyword));
  return (leaves.length > 0 ? leaves : errors).map(toIssue);
}

function toIssue({ keyword, instanceLocation, error }: OutputUnit): SchemaIssue {
  const path = decodeURIComponent(instanceLocation.slice(1));
  return { path, message: keyword === "false" ? "is not allowed here" : error };
}
