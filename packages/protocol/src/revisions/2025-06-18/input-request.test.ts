import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { ElicitSchema } from "../../model/elicitation.ts";
import { fromClientContent, toClientForm } from "./input-request.ts";

const schema: ElicitSchema = {
  type: "object",
  properties: {
    size: { type: "string", title: "Size", oneOf: [{ const: "s", title: "Small" }], default: "s" },
    tags: {
      type: "array",
      title: "Tags",
      description: "any",
      items: {
        anyOf: [
          { const: "a", title: "A" },
          { const: "b", title: "B" },
        ],
      },
      default: ["b"],
    },
    age: { type: "integer", minimum: 1 },
  },
  required: ["tags", "age"],
};

describe("a form of 2025-06-18", () => {
  it("a form of 2025-06-18 has enumNames for titled choices and one checkbox per option of a multiple choice (D.6)", () => {
    expect(toClientForm(schema)).toEqual({
      type: "object",
      properties: {
        size: { type: "string", title: "Size", enum: ["s"], enumNames: ["Small"], default: "s" },
        "tags[a]": { type: "boolean", title: "Tags: A", description: "any", default: false },
        "tags[b]": { type: "boolean", title: "Tags: B", description: "any", default: true },
        age: { type: "integer", minimum: 1 },
      },
      required: ["age"],
    });
  });

  it("a multiple choice with many options and defaults does not search the defaults for each option", () => {
    const values = Array.from({ length: 100 }, (_, index) => `${index}`);
    const search = vi.spyOn(Array.prototype, "includes");
    const form = toClientForm({
      type: "object",
      properties: { tags: { type: "array", items: { type: "string", enum: values }, default: values.slice(1) } },
    });
    const { length } = search.mock.calls;
    search.mockRestore();
    expect(length).toBe(0);
    expect(form.properties).toMatchObject({ "tags[0]": { default: false }, "tags[99]": { default: true } });
  });

  it("a response without the checkboxes of a field omits that field", () => {
    expect(fromClientContent(schema, { age: 3 })).toEqual({ age: 3 });
    expect(fromClientContent(schema, { age: 3, "tags[a]": false })).toEqual({ age: 3, tags: [] });
  });

  it("a response collects ticked checkboxes and keeps all other fields", () => {
    const options = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 6 });
    const chosen = options.chain((all) => fc.tuple(fc.constant(all), fc.subarray(all)));
    fc.assert(
      fc.property(chosen, fc.string(), ([all, ticked], other) => {
        const several: ElicitSchema = { type: "object", properties: { x: { type: "array", items: { enum: all } } } };
        const boxes = Object.keys(toClientForm(several).properties as object);
        const content = Object.fromEntries(boxes.map((box, index) => [box, ticked.includes(all[index] ?? "")]));
        expect(fromClientContent(several, { ...content, other })).toEqual({ x: ticked, other });
      }),
    );
  });
});
