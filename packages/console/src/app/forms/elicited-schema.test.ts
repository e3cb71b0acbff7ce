// Lists of choices in elicited forms.
import type { RJSFSchema } from "@rjsf/utils";
import { expect, it } from "vitest";
import { toFormSchema } from "./elicited-schema.ts";

it.each<[string, RJSFSchema]>([
  ["names", { type: "string", enum: ["a", "b"] }],
  ["titles", { anyOf: [{ const: "a", title: "A" }] }],
])("offers each choice once if the choices have %s", (_, items) => {
  const tags = { type: "array", items } as const;
  expect(toFormSchema({ type: "object", properties: { tags } }).properties).toEqual({
    tags: { ...tags, uniqueItems: true },
  });
});

it("leaves other members as they are", () => {
  const properties = { name: { type: "string" }, notes: { type: "array", items: { type: "string" } } } as const;
  expect(toFormSchema({ type: "object", properties }).properties).toEqual(properties);
});
