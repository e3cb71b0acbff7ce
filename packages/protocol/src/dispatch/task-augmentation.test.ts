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

it("what a tool supports is no part of the list, and copies of the tool have it", () => {
  const marked = withTaskSupport({ ...tool }, "required");
  expect(JSON.parse(JSON.stringify(marked))).toEqual(tool);
  expect(taskSupportOf({ ...marked })).toBe("required");
  expect(taskSupportOf(tool)).toBeUndefined();
});
