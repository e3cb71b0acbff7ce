import { describe, expect, it } from "vitest";
import { checkHistory, sessionChanges } from "./check-history.ts";
import type { CallRecord, History, RunRecord } from "./records.ts";

const limitMs = 60_000;

/** A correct history: two callers with one session each; one call was unavailable, one was lost after it ran. */
function correctHistory(): { calls: CallRecord[]; runs: RunRecord[] } & Omit<History, "calls" | "runs"> {
  const calls = [
    call("ann:1", { instance: "A", n: 1 }),
    call("ann:2", { outcome: "unavailable", reason: "unavailable" }),
    call("ann:3", { outcome: "lost", reason: "lost" }),
    call("ann:4", { instance: "A", n: 3 }),
    call("ann:5", { tool: "ask", instance: "A", n: 4, answer: "yes", isBegun: true }),
    call("bob:1", { instance: "B", n: 1 }),
  ];
  const runs = [
    begin("ann:1", "A", 1),
    begin("ann:3", "A", 2),
    begin("ann:4", "A", 3),
    begin("ann:5", "A", 4),
    answered("ann:5", "A", "yes"),
    begin("bob:1", "B", 1),
  ];
  return { calls, runs, cuts: [], leftovers: [], limitMs, isRecovered: true };
}

let clock = 0;

function call(id: string, more: Partial<CallRecord>): CallRecord {
  clock += 10;
  const caller = id.split(":")[0] ?? "";
  return { caller, upstream: "cnt", id, tool: "count", begin: clock, end: clock + 5, outcome: "ok", ...more };
}

function begin(id: string, instance: string, n: number): RunRecord {
  return { event: "begin", instance, pid: 1, id, n };
}

function answered(id: string, instance: string, answer: string): RunRecord {
  return { event: "answered", instance, pid: 1, id, answer };
}

function rulesOf(history: History): string[] {
  return [...new Set(checkHistory(history).map(({ rule }) => rule))];
}

describe("checkHistory", () => {
  it("finds nothing in a correct history", () => {
    expect(checkHistory(correctHistory())).toEqual([]);
  });

  it("finds a call that the upstream executed twice", () => {
    const history = correctHistory();
    history.runs.push(begin("ann:4", "A", 5));
    expect(rulesOf(history)).toEqual(["executed twice"]);
  });

  it("finds an unavailable call that the upstream executed", () => {
    const history = correctHistory();
    history.runs.push(begin("ann:2", "A", 5));
    expect(rulesOf(history)).toEqual(["executed although not started"]);
  });

  it("finds a call that ran although its error reported a lost session", () => {
    const history = correctHistory();
    history.calls.splice(1, 1, call("ann:2", { outcome: "told", reason: "session_lost" }));
    history.calls.push(call("ann:6", { instance: "A", n: 6 }));
    history.runs.push(begin("ann:2", "A", 5), begin("ann:6", "A", 6));
    expect(rulesOf(history)).toEqual(["executed although not started"]);
  });

  it("finds an ok call that no upstream executed", () => {
    const history = correctHistory();
    history.calls.push(call("bob:2", { instance: "B", n: 2 }));
    expect(rulesOf(history)).toEqual(["not executed although ok"]);
  });

  it("finds an ok call with the result of another execution", () => {
    const history = correctHistory();
    history.calls.push(call("bob:2", { instance: "B", n: 7 }));
    history.runs.push(begin("bob:2", "B", 2));
    expect(rulesOf(history)).toEqual(["wrong result"]);
  });

  it("finds a caller that reaches the session of another caller", () => {
    const history = correctHistory();
    history.calls.push(call("bob:2", { instance: "A", n: 5 }));
    history.runs.push(begin("bob:2", "A", 5));
    expect(rulesOf(history)).toContain("session of another caller");
  });

  it("finds a failed call that ran in the session of another caller", () => {
    const history = correctHistory();
    history.calls.push(call("bob:2", { outcome: "lost", reason: "lost" }), call("bob:3", { instance: "B", n: 2 }));
    history.runs.push(begin("bob:2", "A", 5), begin("bob:3", "B", 2));
    expect(rulesOf(history)).toEqual(["session of another caller"]);
  });

  it("finds a gap in the values of one counter", () => {
    const history = correctHistory();
    history.calls.push(call("bob:2", { instance: "B", n: 3 }));
    history.runs.push(begin("bob:2", "B", 3));
    expect(rulesOf(history)).toEqual(["gap in a session"]);
  });

  it("finds a session that was replaced without notice", () => {
    const history = correctHistory();
    history.calls.push(call("bob:2", { instance: "C", n: 1 }));
    history.runs.push(begin("bob:2", "C", 1));
    expect(rulesOf(history)).toEqual(["session changed without notice"]);
  });

  it("accepts a session that was replaced without notice while Redis and a replica lost what they knew", () => {
    const history = correctHistory();
    const changed = call("bob:2", { instance: "C", n: 1 });
    history.calls.push(changed);
    history.runs.push(begin("bob:2", "C", 1));
    const blinds = [{ name: "flush + kill", begin: changed.begin, end: changed.end }];
    expect(checkHistory({ ...history, blinds })).toEqual([]);
    const used = history.calls.find(({ id }) => id === "bob:1");
    const earlier = [{ name: "flush + kill", begin: 0, end: (used?.end ?? 0) - 1 }];
    expect(rulesOf({ ...history, blinds: earlier })).toEqual(["session changed without notice"]);
  });

  it("accepts a session that was replaced after the caller got an error", () => {
    const history = correctHistory();
    history.calls.push(call("bob:2", { outcome: "told", reason: "session_lost" }));
    history.calls.push(call("bob:3", { instance: "C", n: 1 }));
    history.runs.push(begin("bob:3", "C", 1));
    expect(checkHistory(history)).toEqual([]);
  });

  it("accepts a session that was replaced if the result of the call tells the caller", () => {
    const history = correctHistory();
    history.calls.push(call("bob:2", { instance: "C", n: 1, isMarked: true }));
    history.runs.push(begin("bob:2", "C", 1));
    expect(checkHistory(history)).toEqual([]);
  });

  it("finds a lost session that came back", () => {
    const history = correctHistory();
    const told = (id: string) => call(id, { outcome: "told", reason: "session_lost" });
    history.calls.push(told("bob:2"), call("bob:3", { instance: "C", n: 1 }));
    history.calls.push(told("bob:4"), call("bob:5", { instance: "B", n: 2 }));
    history.runs.push(begin("bob:3", "C", 1), begin("bob:5", "B", 2));
    expect(rulesOf(history)).toEqual(["session came back"]);
  });

  it("finds an untyped error, unless it overlaps a time in which connections were cut", () => {
    const history = correctHistory();
    const broken = call("bob:2", { outcome: "untyped", reason: "502" });
    history.calls.push(broken, call("bob:3", { instance: "B", n: 2 }));
    history.runs.push(begin("bob:3", "B", 2));
    expect(rulesOf(history)).toEqual(["untyped error"]);
    const cuts = [{ name: "kill", begin: broken.end - 1, end: broken.end + 1_000 }];
    expect(checkHistory({ ...history, cuts })).toEqual([]);
  });

  it("excuses a new session without notice after a response that did not arrive, and only then", () => {
    const history = correctHistory();
    const broken = call("bob:2", { outcome: "lost", reason: "lost", status: 504 });
    history.calls.push(broken, call("bob:3", { instance: "C", n: 1 }));
    history.runs.push(begin("bob:3", "C", 1));
    expect(rulesOf(history)).toEqual([]);
    history.calls.push(call("bob:4", { instance: "D", n: 1 }));
    history.runs.push(begin("bob:4", "D", 1));
    expect(rulesOf(history)).toEqual(["session changed without notice"]);
  });

  it("finds a call that took longer than the limit", () => {
    const history = correctHistory();
    const slow = call("bob:2", { instance: "B", n: 2 });
    history.calls.push({ ...slow, begin: slow.end - limitMs - 1 });
    history.runs.push(begin("bob:2", "B", 2));
    expect(rulesOf(history)).toEqual(["no end"]);
  });

  it("finds a session whose last call failed although the faults were over", () => {
    const history = correctHistory();
    history.calls.push(call("bob:2", { outcome: "unavailable", reason: "unavailable" }));
    expect(rulesOf(history)).toEqual(["no recovery"]);
    expect(checkHistory({ ...history, isRecovered: false })).toEqual([]);
  });

  it("finds an answer that reached its question twice", () => {
    const history = correctHistory();
    history.runs.push(answered("ann:5", "A", "yes"));
    expect(rulesOf(history)).toEqual(["answered twice"]);
  });

  it("finds a question with the answer of another call", () => {
    const history = correctHistory();
    history.runs.splice(4, 1, answered("ann:5", "A", "no"));
    expect(rulesOf(history)).toEqual(["wrong answer"]);
  });

  it("finds an ok call whose question was never answered", () => {
    const history = correctHistory();
    history.runs.splice(4, 1);
    expect(rulesOf(history)).toEqual(["wrong answer"]);
  });

  it("finds an unavailable answer that reached the question", () => {
    const history = correctHistory();
    const asked = { tool: "ask", outcome: "unavailable", isBegun: true, answer: "yes" } as const;
    history.calls.push(call("bob:2", asked), call("bob:3", { instance: "B", n: 3 }));
    history.runs.push(begin("bob:2", "B", 2), answered("bob:2", "B", "yes"), begin("bob:3", "B", 3));
    expect(rulesOf(history)).toEqual(["executed although not started"]);
  });

  it("finds an execution that no caller requested", () => {
    const history = correctHistory();
    history.runs.push(begin("eve:1", "B", 2));
    expect(rulesOf(history)).toContain("unknown execution");
  });

  it("finds what outlived the run", () => {
    expect(rulesOf({ ...correctHistory(), leftovers: ["upstream process 17"] })).toEqual(["left over"]);
  });
});

it("sessionChanges orders the calls of a session by their end", () => {
  const late = call("bob:1", { instance: "C", n: 1 });
  const early = { ...call("bob:2", { instance: "B", n: 1 }), end: late.end - 1 };
  expect(sessionChanges([late, early])).toMatchObject([{ from: "B", call: { instance: "C" }, isTold: false }]);
});
