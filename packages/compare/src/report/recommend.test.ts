// Tests of recommend: it ranks by working features, then by sessions and streams, then by requests.
import { describe, expect, it } from "vitest";
import { recording } from "../testing/recordings.ts";
import type { Measures } from "./measure.ts";
import { measure } from "./measure.ts";
import type { MeasuredTransport } from "./measured-transport.ts";
import { conclude, recommend } from "./recommend.ts";
import type { Verdict } from "./verdict.ts";

function transport(title: string, marks: string, measures: Partial<Measures> = {}): MeasuredTransport {
  const features = ["list", "call", "sampling"] as const;
  const verdicts = [...marks].map((mark, index) => ({ feature: features[index], mark, evidence: "" }) as Verdict);
  return {
    ...{ id: title, title, kind: "http", endpoint: "", revision: undefined, verdicts },
    ...{ uniqueHeaders: [], sequence: [], remarks: [] },
    measures: { ...measure(recording({})), ...measures },
  };
}

function chosen(...transports: MeasuredTransport[]): string | undefined {
  return recommend(transports)[0]?.match(/\*\*(.*)\*\*/)?.[1];
}

const stream = { what: "GET", ms: 1 };

describe("recommend prefers the transport", () => {
  it.each<[string, MeasuredTransport, MeasuredTransport]>([
    ["with more working features", transport("good", "✓✓✓", { hasSession: true }), transport("bad", "✓✓✗")],
    [
      "without a session",
      transport("good", "✓", { sent: 99, longLived: [stream] }),
      transport("bad", "✓", { hasSession: true }),
    ],
    [
      "with fewer long-lived streams",
      transport("good", "✓", { sent: 99 }),
      transport("bad", "✓", { longLived: [stream] }),
    ],
    ["with fewer requests", transport("good", "✓", { sent: 1 }), transport("bad", "✓", { sent: 2 })],
  ])("%s", (_, good, bad) => {
    expect([chosen(good, bad), chosen(bad, good)]).toEqual(["good", "good"]);
  });
});

it("recommend returns nothing if no feature worked or none was tried", () => {
  expect(recommend([transport("a", "✗✗")])).toEqual([]);
  expect(recommend([transport("a", "")])).toEqual([]);
});

it("recommend lists failed features of other transports, but not untried ones", () => {
  const [, failed, untried, alike] = recommend([
    transport("a", "✓✓✓"),
    transport("b", "✓✓✗"),
    transport("c", "✓✓—"),
    transport("d", "✓✓✓"),
  ]);
  expect(failed).toBe("b, in comparison: without sampling.");
  expect(untried).toBe("c: no measured difference.");
  expect(alike).toBe("d: no measured difference.");
});

it("recommend states session, streams and requests", () => {
  const costly = transport("b", "✓", { hasSession: true, session: "ids", longLived: [stream, stream], sent: 3 });
  expect(recommend([transport("a", "✓", { sent: 1 }), costly])[1]).toBe(
    "b, in comparison: ids; 2 long-lived streams more; 2 requests more.",
  );
  expect(recommend([transport("a", "✓", { sent: 1, bytesUp: 1000, bytesDown: 234 })])[0]).toBe(
    "For a server that clients reach over a network, only one transport was available: **a**. The only feature tried works; " +
      "no session, so any replica can answer any request; no long-lived streams; 1 request, 1\u202f234 bytes.",
  );
});

describe("the conclusion", () => {
  const http = (marks: string) => transport("HTTP", marks);
  const stdio = (marks: string): MeasuredTransport => ({ ...transport("stdio", marks), kind: "stdio" });

  it.each<[string, readonly MeasuredTransport[], string | undefined]>([
    [
      "names the best transport for each place",
      [http("✓✓✓"), stdio("✓✓✓")],
      "HTTP is best over a network, and stdio on one machine: all 3 features tried work.",
    ],
    [
      "says for each how much works if that differs",
      [http("✓✓✗"), stdio("✓✓✓")],
      "HTTP is best over a network (2 of the 3 features tried work), and stdio on one machine (all 3 features tried work).",
    ],
    ["says of a single transport what works", [http("✓✗✗")], "HTTP: 1 of the 3 features tried work."],
    ["says that nothing works", [http("✗"), stdio("✗")], "No feature that was tried works over any transport."],
    ["is absent if nothing was tried", [http("")], undefined],
  ])("%s", (_name, transports, conclusion) => {
    expect(conclude(transports)).toBe(conclusion);
  });
});
