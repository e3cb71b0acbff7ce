// What the compiler knows of the answer to a form (E-86, E-87).
import type { ElicitSchema, ElicitValue, StandardSchema } from "@lethe/protocol";
import type { OutputOf } from "./schema.ts";

/** What a form may be described with: a flat object of primitive fields (E-86). */
export type ElicitInput = StandardSchema | ElicitSchema;

/** The content of an accepted form. Of a form that is written out in place, the compiler knows each field. */
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

/** A field that was left out has its default (E-88). */
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
