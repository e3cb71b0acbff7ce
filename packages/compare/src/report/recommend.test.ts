// Which way is recommended, and why: by what works, then by what ties a request to a machine, then by its cost.
import { describe, expect, it } from "vitest";
import { recording } from "../testing/recordings.ts";
import type { Measures } from "./measure.ts";
import { measure } from "./measure.ts";
import type { MeasuredWay } from "./measured-way.ts";
import { recommend } from "./recommend.ts";
import type { Verdict } from "./verdict.ts";

function way(title: string, marks: string, measures: Partial<Measures> = {}): MeasuredWay {
  const features = ["list", "call", "sampling"] as const;
  const verdicts = [...marks].map((mark, index) => ({ feature: features[index], mark, evidence: "" }) as Verdict);
  return {
    ...{ id: title, title, transport: "http", endpoint: "", revision: undefined, verdicts },
    ...{ uniqueHeaders: [], sequence: [], remarks: [] },
    measures: { ...measure(recording({})), ...measures },
  };
}

function chosen(...ways: MeasuredWay[]): string | undefined {
  return recommend(ways)[0]?.match(/\*\*(.*)\*\*/)?.[1];
}

const stream = { what: "GET", ms: 1 };

describe("the better of two is the one", () => {
  it.each<[string, MeasuredWay, MeasuredWay]>([
    ["that can do more", way("good", "✓✓✓", { hasSession: true }), way("bad", "✓✓✗")],
    ["without a session", way("good", "✓", { sent: 99, longLived: [stream] }), way("bad", "✓", { hasSession: true })],
    ["with fewer standing streams", way("good", "✓", { sent: 99 }), way("bad", "✓", { longLived: [stream] })],
    ["with fewer requests", way("good", "✓", { sent: 1 }), way("bad", "✓", { sent: 2 })],
  ])("%s", (_, good, bad) => {
    expect([chosen(good, bad), chosen(bad, good)]).toEqual(["good", "good"]);
  });
});

it("where nothing worked or nothing was tried nothing is recommended", () => {
  expect(recommend([way("a", "✗✗")])).toEqual([]);
  expect(recommend([way("a", "")])).toEqual([]);
});

it("what another way lacks is what failed, not what was not tried", () => {
  const [, failed, untried, alike] = recommend([way("a", "✓✓✓"), way("b", "✓✓✗"), way("c", "✓✓—"), way("d", "✓✓✓")]);
  expect(failed).toBe("b, against that: without sampling.");
  expect(untried).toBe("c: no difference that was measured here.");
  expect(alike).toBe("d: no difference that was measured here.");
});

it("what it costs is told with its session, streams and requests", () => {
  const costly = way("b", "✓", { hasSession: true, session: "ids", longLived: [stream, stream], sent: 3 });
  expect(recommend([way("a", "✓", { sent: 1 }), costly])[1]).toBe(
    "b, against that: ids; 2 long-lived streams more; 2 requests more.",
  );
  expect(recommend([way("a", "✓", { sent: 1, bytesUp: 1000, bytesDown: 234 })])[0]).toBe(
    "For a server that others reach over a network there is one way: **a**. The one feature that was tried works; " +
      "no session, so that any replica can answer any request; no long-lived streams; 1 request, 1\u202f234 bytes.",
  );
});
