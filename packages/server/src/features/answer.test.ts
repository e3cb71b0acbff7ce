// Type tests of answers: the compiler checks them; at run time they only have to load.
import type { ElicitSchema, ElicitValue } from "@lethe/protocol";
import { expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type { Answer, ElicitInput } from "./answer.ts";

function answerTo<const S extends ElicitInput>(_schema: S): Answer<S> {
  return undefined as Answer<S>;
}

it("returns the schema's output for an answer to a form made from a schema", () => {
  const answer = answerTo(z.object({ due: z.string().transform((text) => new Date(text)), n: z.int().optional() }));
  expectTypeOf(answer).toEqualTypeOf<{ due: Date; n?: number | undefined }>();
  expect(answer).toBeUndefined();
});

it("returns the fields of a hand-written form, with the default of each field that has one (E-86, E-88)", () => {
  const answer = answerTo({
    type: "object",
    properties: {
      name: { type: "string" },
      age: { type: "integer" },
      color: { type: "string", enum: ["red", "green"] },
      sizes: { type: "array", items: { anyOf: [{ const: "s", title: "Small" }] } },
      plan: { type: "string", oneOf: [{ const: "free", title: "Free" }], default: "free" },
      verified: { type: "boolean", default: true },
    },
    required: ["name", "color"],
  });
  type Expected = { name: string; color: "red" | "green"; plan: "free"; verified: boolean } & {
    age?: number;
    sizes?: "s"[];
  };
  expectTypeOf(answer).toEqualTypeOf<Expected>();
  expect(answer).toBeUndefined();
});

it("returns fields of any type for a form that was not written in place", () => {
  const form: ElicitSchema = { type: "object", properties: {} };
  expectTypeOf(answerTo(form)).toEqualTypeOf<{ [field: string]: ElicitValue }>();
  expect(answerTo(form)).toBeUndefined();
});
