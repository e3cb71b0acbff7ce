// The OpenAPI document of the administration API, which clients generate their types from.
import { expect, it } from "vitest";
import { createOpenApiDocument } from "./openapi.ts";

it("is the document in testdata/admin-api.json, from which the types of the console are generated", async () => {
  const text = `${JSON.stringify(createOpenApiDocument(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot("../../../../testdata/admin-api.json");
});

it("has every schema that it refers to", () => {
  const document = createOpenApiDocument();
  const { schemas } = document.components as { schemas: Record<string, unknown> };
  const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
  expect(references.length).toBeGreaterThan(20);
  expect(references.filter((name) => !Object.hasOwn(schemas, name ?? ""))).toEqual([]);
});
