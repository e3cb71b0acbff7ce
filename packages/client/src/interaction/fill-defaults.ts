// Completes an accepted form with the question's defaults (E-88).
import type { ElicitSchema, ElicitValue } from "@lethe/protocol";

export type FormContent = { [field: string]: ElicitValue };

/** A new object: what the user gave, and the default of each field that was left out. */
export function fillDefaults(schema: ElicitSchema, content: FormContent): FormContent {
  const filled: FormContent = { ...content };
  for (const [field, { default: value }] of Object.entries(schema.properties)) {
    if (value !== undefined && !Object.hasOwn(filled, field)) filled[field] = value;
  }
  return filled;
}
