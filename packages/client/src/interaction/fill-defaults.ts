// Completes an accepted elicitation form with the defaults of its schema.
import type { ElicitSchema, ElicitValue } from "@lethe/protocol";

/** The answer to an elicitation form, by field. */
export type FormContent = { [field: string]: ElicitValue };

/**
 * Returns a new object with the user's fields, and the default of each field that was left out.
 *
 * @example
 * import { fillDefaults } from "@lethe/client";
 *
 * const schema = { type: "object" as const, properties: { seats: { type: "integer" as const, default: 2 } } };
 * console.log(fillDefaults(schema, { window: true })); // { window: true, seats: 2 }
 */
export function fillDefaults(schema: ElicitSchema, content: FormContent): FormContent {
  const filled: FormContent = { ...content };
  for (const [field, { default: value }] of Object.entries(schema.properties)) {
    if (value !== undefined && !Object.hasOwn(filled, field)) filled[field] = value;
  }
  return filled;
}
