// Tests of judge: a feature needs the right message, from the right side, during its step.
import type { JsonObject } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import type { StdioLine, StepRecord } from "../record/recording.ts";
import type { Feature } from "../script/script.ts";
import { recording } from "../testing/recordings.ts";
import { judge, type Verdict } from "./verdict.ts";

const line = (at: number, sender: StdioLine["sender"], members: JsonObject): StdioLine => ({
  ...{ number: at, at, sender, bytes: 1 },
  text: JSON.stringify({ jsonrpc: "2.0", ...members }),
});

function judgeOne(feature: Feature, lines: StdioLine[], step: Partial<StepRecord> = {}): Verdict | undefined {
  const tried = { name: "x", feature, startedAt: 10, endedAt: 20, outcome: "done", detail: "d", ...step } as const;
  return judge(recording({ transport: "stdio", lines, steps: [tried] }))[0];
}

const result = (value: JsonObject) => ({ id: 1, result: value });
const asked = (method: string) => result({ resultType: "input_required", inputRequests: { a: { method } } });

const proofs: [Feature, StdioLine["sender"], JsonObject][] = [
  ["list", "server", result({ tools: [] })],
  ["call", "server", result({ content: [] })],
  ["sampling", "server", { id: 1, method: "sampling/createMessage" }],
  ["sampling", "server", asked("sampling/createMessage")],
  ["elicitation", "server", { id: 1, method: "elicitation/create" }],
  ["elicitation", "server", asked("elicitation/create")],
  ["roots", "server", { id: 1, method: "roots/list" }],
  ["roots", "server", asked("roots/list")],
  ["progress", "server", { method: "notifications/progress" }],
  ["logging", "server", { method: "notifications/message" }],
  ["changes", "server", { method: "notifications/tools/list_changed" }],
  ["changes", "server", { method: "notifications/resources/updated" }],
  ["background", "client", { id: 1, method: "tasks/get" }],
  ["background", "server", result({ resultType: "task" })],
  ["background", "server", result({ task: { taskId: "t", status: "working" } })],
];

describe.each(proofs)("judge marks %s as working by the %s message %j", (feature, sender, message) => {
  const other = sender === "client" ? "server" : "client";
  it("if it arrives during the step", () => {
    expect(judgeOne(feature, [line(15, sender, message)])).toMatchObject({
      mark: "✓",
      evidence: expect.stringMatching(/^line 15/),
    });
  });

  it("but not from the other side, after the step, or if the step failed", () => {
    expect(judgeOne(feature, [line(15, other, message)])?.mark).toBe("✗");
    expect(judgeOne(feature, [line(21, sender, message)])?.mark).toBe("✗");
    expect(judgeOne(feature, [line(15, sender, message)], { outcome: "failed" })?.mark).toBe("✗");
    expect(judgeOne(feature, [line(15, sender, message)], { outcome: "skipped" })?.mark).toBe("—");
  });

  it("and before the step only for roots, which a server remembers", () => {
    expect(judgeOne(feature, [line(9, sender, message)])?.mark).toBe(feature === "roots" ? "✓" : "✗");
  });
});

it("judge counts repeated proofs", () => {
  const told = { method: "notifications/progress", params: {} };
  expect(judgeOne("progress", [line(15, "server", told), line(15, "server", told)])?.evidence).toBe(
    "2 × line 15 ← notifications/progress",
  );
});

it("judge explains a failure with the response and the error of the client", () => {
  const refused = line(12, "server", { id: 1, error: { code: -32601, message: "no" } });
  expect(judgeOne("call", [refused], { outcome: "failed", detail: "no such tool" })).toEqual({
    ...{ feature: "call", mark: "✗", evidence: "line 12 ← error -32601: no such tool" },
  });
  const failed = line(12, "server", result({ content: [], isError: true }));
  expect(judgeOne("call", [failed], { outcome: "failed", detail: "broken" })?.evidence).toContain(
    "result (isError): broken",
  );
  expect(judgeOne("call", [], { outcome: "failed", detail: "nothing came" })?.evidence).toBe("nothing came");
  const answered = line(12, "server", result({ content: [] }));
  expect(judgeOne("logging", [answered], { outcome: "failed", detail: "no log came" })?.evidence).toBe(
    "line 12 ← result: no log came",
  );
});
