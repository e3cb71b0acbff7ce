// Task augmentation and task support behind the edges (D-38).
import { expect, it } from "vitest";
import type { ModernRequest } from "../meta/envelope.ts";
import { taskAugmentationOf, taskSupportOf, withTaskAugmentation, withTaskSupport } from "./task-augmentation.ts";

const request = { id: 1, method: "tools/call", params: { _meta: {} } } as unknown as ModernRequest;
const tool = { name: "t", inputSchema: { type: "object" } };

it("task augmentation survives copies of the request and JSON", () => {
  const augmented = withTaskAugmentation(request, { ttlMs: 5 });
  expect(taskAugmentationOf(JSON.parse(JSON.stringify({ ...augmented, id: 2 })))).toEqual({ ttlMs: 5 });
  expect(taskAugmentationOf(request)).toBeUndefined();
});

it("task support is not part of a serialised tool list, and copies of the tool keep it", () => {
  const marked = withTaskSupport({ ...tool }, "required");
  expect(JSON.parse(JSON.stringify(marked))).toEqual(tool);
  expect(taskSupportOf({ ...marked })).toBe("required");
  expect(taskSupportOf(tool)).toBeUndefined();
});
