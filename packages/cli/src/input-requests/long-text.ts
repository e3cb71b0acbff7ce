// Which fields of a form people fill with paragraphs.
import type { FieldSchema } from "@lethe/protocol";

/** Text that may be longer than this, in characters, gets several lines. */
const longText = 200;
const words = /\b(multi-?line|several lines|one per line|paragraphs?|markdown)\b/i;

/** Decides by the lengths that the schema allows, by its default, and by words of its description. */
export function isLong(schema: FieldSchema): boolean {
  if (schema.type !== "string" || "format" in schema || "enum" in schema || "oneOf" in schema) return false;
  const {
    minLength = 0,
    maxLength,
    default: before = "",
    description = "",
  } = schema as { minLength?: number; maxLength?: number; default?: string; description?: string };
  if (maxLength !== undefined && maxLength <= longText) return before.includes("\n");
  return minLength > longText || maxLength !== undefined || before.includes("\n") || words.test(description);
}
