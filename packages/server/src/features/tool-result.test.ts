import { expect, it } from "vitest";
import { toCheckedToolResult, toToolResult } from "./tool-result.ts";

const forged = { resultType: "task", content: [{ type: "text", text: "a" }], _meta: { a: 1 } };

it("a complete tool result has the resultType complete, regardless of the author's value", async () => {
  const complete = { ...forged, resultType: "complete" };
  expect(toToolResult(forged)).toEqual(complete);
  const failed = await toCheckedToolResult({ ...forged, isError: true }, () => ({ value: undefined }));
  expect(failed).toEqual({ ...complete, isError: true });
  const checked = await toCheckedToolResult({ ...forged, structuredContent: 1 }, () => ({ value: 2 }));
  expect(checked).toEqual({ ...complete, structuredContent: 2 });
});
