import { type } from "arktype";
import * as v from "valibot";
import { expect, it } from "vitest";
import { z } from "zod";
import { rawShapeAdvice } from "./raw-shape.ts";

it.each<[string, object, string | undefined]>([
  ["zod schemas", { a: z.string() }, "an object of schemas is no schema: wrap it in z.object({ … })"],
  ["valibot schemas", { a: v.string() }, "an object of schemas is no schema: wrap it in v.object({ … })"],
  ["arktype schemas", { a: type("string") }, "an object of schemas is no schema: wrap it in type({ … })"],
  [
    "JSON Schemas",
    { city: { type: "string" }, days: { type: "number" } },
    'an object of JSON Schemas is no schema: write { type: "object", properties: { … } }',
  ],
  ["keywords", { type: "object", properties: {} }, undefined],
  ["keywords without a type", { properties: { type: { type: "string" } } }, undefined],
  ["nothing", {}, undefined],
])("says how to make a schema of an object of %s", (_what, given, advice) => {
  expect(rawShapeAdvice(given as never)).toBe(advice);
});
