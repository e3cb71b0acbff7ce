// The choices of a form field, in all forms that a schema may have (E-86).
import type { FieldSchema, TitledConst } from "@lethe/protocol";

export interface Choice {
  readonly value: string;
  readonly title: string;
}

/** Returns undefined for a field without choices. */
export function choicesOf(schema: FieldSchema): Choice[] | undefined {
  const {
    enum: values,
    enumNames,
    oneOf,
    anyOf,
  } = (schema.type === "array" ? schema.items : schema) as {
    enum?: string[];
    enumNames?: string[];
    oneOf?: TitledConst[];
    anyOf?: TitledConst[];
  };
  const titled = oneOf ?? anyOf;
  if (titled) return titled.map(({ const: value, title }) => ({ value, title }));
  return values?.map((value, index) => ({ value, title: enumNames?.[index] ?? value }));
}
