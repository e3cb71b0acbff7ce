// The static type of an elicitation's content (E-86, E-87).
import type { ElicitSchema, ElicitValue, StandardSchema } from "@lethe/protocol";
import type { OutputOf } from "./schema.ts";

/** The schema of an elicitation form: a flat object of primitive fields. */
export type ElicitInput = StandardSchema | ElicitSchema;

/** The content of an accepted form. Fields of an inline JSON Schema are typed. */
export type Answer<S> = S extends StandardSchema
  ? OutputOf<S>
  : S extends ElicitSchema
    ? FormContent<S["properties"], RequiredOf<S>>
    : never;

type FormContent<Fields, Required> = string extends keyof Fields
  ? { [field: string]: ElicitValue }
  : { [Field in PresentIn<Fields, Required>]: ValueOf<Fields[Field]> } & {
      [Field in Exclude<keyof Fields, PresentIn<Fields, Required>>]?: ValueOf<Fields[Field]>;
    };

type RequiredOf<S> = S extends { readonly required: readonly (infer Field)[] } ? Field : never;

/** An omitted field has its default. */
type PresentIn<Fields, Required> = {
  [Field in keyof Fields]: Field extends Required
    ? Field
    : Fields[Field] extends { readonly default: ElicitValue }
      ? Field
      : never;
}[keyof Fields];

type ValueOf<Field> = Field extends { readonly type: "boolean" }
  ? boolean
  : Field extends { readonly type: "number" | "integer" }
    ? number
    : Field extends { readonly type: "array"; readonly items: infer Items }
      ? ChoiceOf<Items>[]
      : ChoiceOf<Field>;

type ChoiceOf<Field> = Field extends { readonly enum: readonly (infer Choice)[] }
  ? Choice
  : Field extends { readonly oneOf: readonly { readonly const: infer Choice }[] }
    ? Choice
    : Field extends { readonly anyOf: readonly { readonly const: infer Choice }[] }
      ? Choice
      : string;
