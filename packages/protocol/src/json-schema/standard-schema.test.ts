import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  type InferInput,
  type InferOutput,
  isStandardSchema,
  type StandardSchema,
  toJsonSchema,
} from "./standard-schema.ts";

const point: Record<string, StandardSchema> = {
  zod: z.object({ x: z.number(), label: z.string().optional() }),
  arktype: type({ x: "number", "label?": "string" }),
  valibot: toStandardJsonSchema(v.object({ x: v.number(), label: v.optional(v.string()) })),
};

describe.each(Object.keys(point))("a schema of %s", (vendor) => {
  const schema = point[vendor] as StandardSchema;

  it("the schema is a Standard Schema that validates", async () => {
    expect(isStandardSchema(schema)).toBe(true);
    expect(await schema["~standard"].validate({ x: 1 })).toMatchObject({ value: { x: 1 } });
    expect((await schema["~standard"].validate({ x: "1" })).issues).toHaveLength(1);
  });

  it("the schema converts to JSON Schema 2020-12", () => {
    const json = toJsonSchema(schema, "input");
    expect(json).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { x: { type: "number" }, label: { type: "string" } },
      required: ["x"],
    });
  });
});

describe("toJsonSchema", () => {
  it("input and output differ where the schema changes the value", () => {
    const schema = z.object({ size: z.number().default(3) });
    expect(toJsonSchema(schema, "input").required).toBeUndefined();
    expect(toJsonSchema(schema, "output").required).toEqual(["size"]);
  });

  it("toJsonSchema names a library without a converter and the remedy", () => {
    expect(() => toJsonSchema(v.object({}), "input")).toThrow(
      "a schema of valibot has no JSON Schema: wrap it in toStandardJsonSchema of @valibot/to-json-schema",
    );
    const own: StandardSchema = { "~standard": { version: 1, vendor: "own", validate: (value) => ({ value }) } };
    expect(() => toJsonSchema(own, "input")).toThrow("a schema of own has no JSON Schema: it needs");
  });

  it("toJsonSchema names a type that the library cannot convert", () => {
    expect(() => toJsonSchema(z.object({ at: z.date() }), "output")).toThrow(
      "a schema of zod has no JSON Schema for its output: Date cannot be represented",
    );
  });

  it("toJsonSchema rejects a converter that returns no object", () => {
    const jsonSchema = { input: () => true, output: () => true } as never;
    const validate = (value: unknown): { value: unknown } => ({ value });
    expect(() => toJsonSchema({ "~standard": { version: 1, vendor: "own", validate, jsonSchema } }, "input")).toThrow(
      "must be an object, got a boolean",
    );
  });
});

it.each([null, undefined, 1, "x", {}, { "~standard": null }, { "~standard": { version: 2, validate() {} } }, () => {}])(
  "%j is not a Standard Schema",
  (value) => {
    expect(isStandardSchema(value)).toBe(false);
  },
);

it("the types of a schema are inferred", () => {
  const schema = z.object({ size: z.number().default(3) });
  expectTypeOf<InferInput<typeof schema>>().toEqualTypeOf<{ size?: number | undefined }>();
  expectTypeOf<InferOutput<typeof schema>>().toEqualTypeOf<{ size: number }>();
  const ark = type({ x: "number" });
  expectTypeOf<InferOutput<typeof ark>>().toEqualTypeOf<{ x: number }>();
  const vali = v.object({ x: v.number() });
  expectTypeOf<InferOutput<typeof vali>>().toEqualTypeOf<{ x: number }>();
});
