import { expect, it } from "vitest";
import { toCheckedToolResult, toToolResult } from "./tool-result.ts";

const forged = { resultType: "task", content: [{ type: "text", text: "a" }], _meta: { a: 1 } };

it("a full result of a tool is complete, whatever its author calls it", async () => {
  const complete = { ...forged, resultType: "complete" };
  expect(toToolResult(forged)).toEqual(complete);
  const failed = await toCheckedToolResult({ ...forged, isError: true }, () => ({ value: undefined }));
  expect(failed).toEqual({ ...complete, isError: true });
  const checked = await toCheckedToolResult({ ...forged, structuredContent: 1 }, () => ({ value: 2 }));
  expect(checked).toEqual({ ...complete, structuredContent: 2 });
});
