// Converting results that are sent often only once per revision.
import { withReadyText } from "@lethe/protocol";
import { revisionNamed } from "@lethe/protocol/revisions";
import { expect, it, vi } from "vitest";
import { createResultWriter } from "./legacy-context.ts";

it("a frozen result is converted once for each revision", () => {
  const toClientResult = vi.fn(revisionNamed("2025-11-25").toClientResult);
  const newer = { ...revisionNamed("2025-11-25"), toClientResult };
  const older = { ...revisionNamed("2025-03-26"), toClientResult };
  const write = createResultWriter();
  const page = withReadyText({ resultType: "complete", tools: [] });
  for (const revision of [newer, older, newer, older]) expect(write(revision, "tools/list", page)).toBe('{"tools":[]}');
  expect(toClientResult).toHaveBeenCalledTimes(2);
  const answer = { resultType: "complete", content: [] };
  for (const revision of [newer, newer]) expect(write(revision, "tools/call", answer)).toBe('{"content":[]}');
  expect(toClientResult).toHaveBeenCalledTimes(4);
});
