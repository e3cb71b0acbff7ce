// The JSON Schema validator. It generates no code, so it runs where eval is forbidden.
import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";
import { type JsonObject, type SchemaIssue, type SchemaValidator, walkSchema } from "@lethe/protocol";

/** The library compares all pairs of items, so `uniqueItems` also limits the length of the array. */
const maxUniqueItems = 4096;

/** These keywords only report that a nested one failed; the nested error follows. */
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

/** Throws an Error for a schema that this validator does not support. */
export function createValidator(schema: JsonObject): SchemaValidator {
  // A copy, because the library writes to the schema.
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
        // The library writes property names into URIs, which cannot contain a lone surrogate.
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
