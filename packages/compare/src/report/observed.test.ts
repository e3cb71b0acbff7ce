// Tests of the features that only tool calls show, in one recording and in several.
import type { JsonObject } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import type { Recording, StepRecord } from "../record/recording.ts";
import { exchange, recording } from "../testing/recordings.ts";
import { toShown } from "./observed.ts";
import { toReport } from "./report.ts";
import { judge } from "./verdict.ts";

const body = (message: JsonObject): string => JSON.stringify({ jsonrpc: "2.0", ...message });
const elicitation = body({ id: 9, method: "elicitation/create" });
const done = body({ id: 1, result: { content: [] } });
const failed = body({ id: 1, result: { content: [], isError: true } });

/** One call of `ask` at 10 to 29, then the observed feature. */
function survey(title: string, outcome: StepRecord["outcome"], exchanges: Recording["exchanges"]): Recording {
  return recording({
    ...{ id: title, title, exchanges },
    steps: [
      { name: "call ask", feature: "call", tool: "ask", startedAt: 10, endedAt: 29, outcome, detail: "timed out" },
      {
        name: "elicitation",
        feature: "elicitation",
        startedAt: 10,
        endedAt: 30,
        outcome: "observed",
        detail: "1 call",
      },
    ],
  });
}

const call = (events: readonly string[]) =>
  exchange(
    1,
    { body: body({ id: 1, method: "tools/call", params: { name: "ask" } }) },
    {
      events: events.map((data, index) => ({ at: 14 + index * 10, event: "message", data })),
    },
  );
const answer = exchange(2, { body: body({ id: 9, result: {} }) }, { status: 202 });
const works = survey("sessions", "done", [call([elicitation, done]), answer]);
const hangs = survey("stateless", "failed", [call([elicitation]), answer]);
const refuses = survey("refusing", "failed", [call([failed])]);

const verdictOf = (one: Recording, all: readonly Recording[] = [one]) =>
  judge(one, toShown(all)).find(({ feature }) => feature === "elicitation");

describe("the verdict on elicitation in a survey", () => {
  it("is ✓ if a call elicits input and succeeds", () => {
    expect(verdictOf(works)).toEqual({ feature: "elicitation", mark: "✓", evidence: "#1 ← elicitation/create (ask)" });
  });

  it("names the elicitation, the accepted response and the missing session if the call gets no response", () => {
    expect(verdictOf(hangs)).toEqual({
      feature: "elicitation",
      mark: "✗",
      evidence:
        "ask: the server requested input (#1 ← elicitation/create), the client responded (#2 ← 202), and no response to the call followed: the server issued no session id, so a response in a separate request cannot reach the call: timed out",
    });
  });

  it("is ✗ if the same tool elicits input in another recording only", () => {
    expect(verdictOf(refuses)?.mark).toBe("—");
    expect(verdictOf(refuses, [works, refuses])).toEqual({
      feature: "elicitation",
      mark: "✗",
      evidence: "ask shows it over sessions; here its call failed: ask: #1 ← result (isError): timed out",
    });
    expect(toReport({ version: 1, script: "s", recordings: [works, refuses] }).transports[1]?.verdicts[1]?.mark).toBe(
      "✗",
    );
  });

  it("is — if no call elicits input in any recording", () => {
    expect(verdictOf(refuses)?.evidence).toBe("no call requested it; 1 call");
  });
});

it("judge reports background tasks as not requested if the server declares no tasks", () => {
  const greeting = exchange(
    1,
    {},
    { body: body({ id: 0, result: { protocolVersion: "2025-11-25", capabilities: {} } }) },
  );
  const called = exchange(2, { body: body({ id: 1, method: "tools/call", params: { name: "ask" } }) }, { body: done });
  const step = {
    name: "task",
    feature: "background",
    startedAt: 20,
    endedAt: 29,
    outcome: "done",
    detail: "",
  } as const;
  expect(judge(recording({ exchanges: [greeting, called], steps: [step] }))[0]).toEqual({
    feature: "background",
    mark: "—",
    evidence: "the server declares no tasks capability (#1 ← result of initialize), so no task was requested",
  });
});
