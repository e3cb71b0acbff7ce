// Validation of forms without generated code.
import { expect, it } from "vitest";
import { errorsOf, formValidator } from "./form-validator.ts";

const schema = {
  type: "object",
  properties: {
    path: { type: "string", minLength: 2 },
    "a/b": { type: "integer" },
    kind: { $ref: "#/$defs/kind" },
  },
  required: ["path"],
  $defs: { kind: { enum: ["x", "y"] } },
} as const;

it("names the field of each error", () => {
  const errors = errorsOf(schema as never, { "a/b": "no", kind: "z" });
  expect(errors.map(({ property, name }) => `${property} ${name}`).sort()).toEqual([
    ".a/b type",
    ".kind enum",
    ".path required",
  ]);
});

it("treats an empty form as an object without members", () => {
  expect(errorsOf(schema as never, undefined).map(({ stack }) => stack)).toEqual(["path: is required"]);
});

it("resolves references of a part of a schema in the whole schema", () => {
  const part = { $ref: "#/$defs/kind" };
  expect(formValidator.isValid(part, "x", schema as never)).toBe(true);
  expect(formValidator.isValid(part, "z", schema as never)).toBe(false);
});

it("reports a schema that cannot be used instead of throwing", () => {
  expect(errorsOf({ $ref: "#/$defs/none" } as never, {})[0]?.name).toBe("schema");
});
