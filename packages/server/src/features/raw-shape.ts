// Recognises what other libraries accept in place of a schema, for the hint of an error.
import { isJsonObject, isStandardSchema, type JsonObject } from "@lethe/protocol";

/** How each library makes a schema of an object of schemas, by its name in `~standard.vendor`. */
const wrappers: ReadonlyMap<string, string> = new Map([
  ["zod", "z.object({ … })"],
  ["valibot", "v.object({ … })"],
  ["arktype", "type({ … })"],
]);

const rootKeywords = ["type", "properties", "$ref", "allOf", "anyOf", "oneOf"];

/** What to do with an object of schemas. Undefined for any other object. */
export function rawShapeAdvice(schema: JsonObject): string | undefined {
  const members = Object.values(schema);
  const standard = members.find(isStandardSchema);
  if (standard) {
    const wrapper = wrappers.get(standard["~standard"].vendor) ?? "an object schema";
    return `an object of schemas is no schema: wrap it in ${wrapper}`;
  }
  if (members.length === 0 || rootKeywords.some((keyword) => Object.hasOwn(schema, keyword))) return undefined;
  if (!members.every((member) => isJsonObject(member) && typeof member.type === "string")) return undefined;
  return 'an object of JSON Schemas is no schema: write { type: "object", properties: { … } }';
}
