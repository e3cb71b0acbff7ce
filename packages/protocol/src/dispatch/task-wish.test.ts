// What is told beside the wire stays off it.
import { expect, it } from "vitest";
import type { ModernRequest } from "../meta/envelope.ts";
import { taskSupportOf, taskWishOf, withTaskSupport, withTaskWish } from "./task-wish.ts";

const request = { id: 1, method: "tools/call", params: { _meta: {} } } as unknown as ModernRequest;
const tool = { name: "t", inputSchema: { type: "object" } };

it("a wish is no part of the message, and copies of the request have it", () => {
  const wishing = withTaskWish(request, { ttlMs: 5 });
  expect(JSON.parse(JSON.stringify(wishing))).toEqual(request);
  expect(taskWishOf({ ...wishing, id: 2 })).toEqual({ ttlMs: 5 });
  expect(taskWishOf(request)).toBeUndefined();
});

it("what a tool supports is no part of the list, and copies of the tool have it", () => {
  const marked = withTaskSupport({ ...tool }, "required");
  expect(JSON.parse(JSON.stringify(marked))).toEqual(tool);
  expect(taskSupportOf({ ...marked })).toBe("required");
  expect(taskSupportOf(tool)).toBeUndefined();
});
