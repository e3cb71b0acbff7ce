import { withReadyText } from "@lethe/protocol";
import { codecOf } from "@lethe/protocol/legacy";
import { expect, it, vi } from "vitest";
import { createResultWriter } from "./legacy-context.ts";

it("a result that is made once and sent often is changed once for each revision", () => {
  const toLegacyResult = vi.fn(codecOf("2025-11-25").toLegacyResult);
  const newer = { ...codecOf("2025-11-25"), toLegacyResult };
  const older = { ...codecOf("2025-03-26"), toLegacyResult };
  const write = createResultWriter();
  const page = withReadyText({ resultType: "complete", tools: [] });
  for (const codec of [newer, older, newer, older]) expect(write(codec, "tools/list", page)).toBe('{"tools":[]}');
  expect(toLegacyResult).toHaveBeenCalledTimes(2);
  const answer = { resultType: "complete", content: [] };
  for (const codec of [newer, newer]) expect(write(codec, "tools/call", answer)).toBe('{"content":[]}');
  expect(toLegacyResult).toHaveBeenCalledTimes(4);
});
