// Tests of all report formats with a small comparison.
import type { ProbeReport } from "@lethe/probe";
import { expect, it } from "vitest";
import { exchange, recording } from "../testing/recordings.ts";
import { toHar } from "./har.ts";
import { toHtml } from "./html.ts";
import { toMarkdown } from "./markdown.ts";
import { toReport } from "./report.ts";
import { toText } from "./text.ts";

const message = (members: object): string => JSON.stringify({ jsonrpc: "2.0", ...members });
const call = (id: number): string => message({ id, method: "tools/call", params: { name: "ask", _meta: {} } });
const asks = { resultType: "input_required", inputRequests: { a: { method: "sampling/createMessage" } } };
const done = { name: "connect", startedAt: 0, endedAt: 9, outcome: "done", detail: "" } as const;

const modern = recording({
  revision: "2026-07-28",
  exchanges: [
    exchange(1, { body: call(1) }, { body: message({ id: 1, result: asks }) }),
    exchange(
      2,
      { body: call(2), headers: [["Mcp-Name", "ask"]] },
      { body: message({ id: 2, result: { content: [], ttlMs: 5, cacheScope: "public" } }) },
    ),
  ],
  steps: [done, { name: "ask", feature: "sampling", startedAt: 9, endedAt: 30, outcome: "done", detail: "" }],
});
const getStream = {
  ...exchange(
    1,
    { verb: "GET", target: "/sse", headers: [["Accept", "text/event-stream"]] },
    {
      headers: [
        ["Content-Type", "text/event-stream"],
        ["Cache-Control", "no-store"],
      ],
      events: [
        { at: 12, event: "endpoint", data: "/messages?session_id=a***" },
        {
          at: 26,
          event: "message",
          data: message({ id: 1, error: { code: -32602, message: "no <b>sampling</b> | here" } }),
        },
      ],
    },
  ),
  endedAt: 90,
  isCut: true,
};
const sse = recording({
  id: "http-sse",
  title: "HTTP+SSE",
  exchanges: [
    getStream,
    exchange(2, { target: "/messages?session_id=a***", body: call(1) }, { status: 202, headers: [] }),
  ],
  steps: [
    done,
    {
      name: "ask",
      feature: "sampling",
      startedAt: 19,
      endedAt: 30,
      outcome: "failed",
      detail: "no <b>sampling</b> | here",
    },
  ],
});
const pipe = recording({
  id: "modern-stdio",
  title: "stdio",
  transport: "stdio",
  era: "modern",
  endpoint: "node server.js",
  lines: [
    { number: 1, at: 10, sender: "client", bytes: 50, text: call(1) },
    { number: 2, at: 12, sender: "server", bytes: 60, text: message({ id: 1, result: asks }) },
  ],
  steps: [
    done,
    {
      name: "ask",
      feature: "sampling",
      startedAt: 9,
      endedAt: 30,
      outcome: "skipped",
      detail: "the server offers no tool ask",
    },
  ],
});
const gone = recording({
  id: "legacy-stdio",
  title: "stdio, legacy",
  steps: [{ ...done, outcome: "failed", detail: "it does not speak that" }],
});
const comparison = { version: 1, script: "a script", recordings: [modern, sse, pipe, gone] } as const;

it("the Markdown and text reports match their snapshots", () => {
  expect(toMarkdown(toReport(comparison))).toMatchSnapshot();
  expect(toText(toReport(comparison), { width: 80 })).toMatchSnapshot();
});

it("every report format contains the probe findings as plain text", () => {
  const verdict = {
    isSpoken: true,
    word: "STATEFUL",
    revisions: ["2025-06-18"],
    confidence: "high",
    reasons: [],
  } as const;
  const evidence = [
    { number: 1, what: "server/discover", via: "POST", address: "x", answer: "404", headers: {}, body: "", ms: 1 },
  ] as const;
  const probed: ProbeReport = {
    ...{ version: 1, target: { kind: "http", address: "http://x/<mcp>" }, word: "STATEFUL", confidence: "high" },
    ...{
      era: "legacy",
      decidedBy: "behaviour",
      serverRequests: [],
      instances: [],
      hints: [],
      keptState: [],
      leftovers: [],
    },
    eras: {
      modern: { ...verdict, isSpoken: false, reasons: [{ text: "refused: \u001b[31m404", exchanges: [1] }] },
      legacy: verdict,
    },
    features: { capabilities: {} },
    advice: { pooling: "shared", text: "for gateways" },
    ...{ remarks: [], requests: 1, ms: 1, evidence, caution: "" },
  };
  const unavailable = [{ id: "a", title: "A transport", reason: "refused: \u001b[31m404", evidence: ["probe #1"] }];
  const whole = { ...comparison, unavailable, probes: [probed] };
  const texts = [toMarkdown(toReport(whole)), toText(toReport(whole)), toHtml(whole)];
  for (const text of texts) {
    expect(text).toMatch(/A transport.*refused: .*404 \(probe #1\)/);
    expect(text).toContain("is STATEFUL");
    expect(text).not.toContain("for gateways");
  }
  expect(texts[2]).not.toContain("<mcp>");
  // A terminal obeys what follows this character.
  for (const text of texts.slice(0, 2)) expect(text).not.toContain("\u001b");
});

it("the report of recorded traffic has no recommendation, feature table or header comparison", () => {
  const traffic = { ...comparison, recordings: [{ ...modern, title: "Recorded traffic", steps: [] }] };
  const headings = toMarkdown(toReport(traffic)).match(/^#+ .*$/gm);
  expect(headings).toEqual([
    ...["# Recorded traffic", "## Quick comparison", "## Header fields", "### Recorded traffic"],
    ...["## On the wire", "### Recorded traffic: exchanges"],
  ]);
  expect(toHtml(traffic).match(/<h[1-4]>[^<]*/g)).toEqual([
    ...["<h1>Recorded traffic", "<h2>Quick comparison", "<h2>Transports in detail", "<h3>Recorded traffic"],
    ...["<h4>Header fields", "<h4>Sequence", "<h4>Every exchange"],
  ]);
});

it("toReport marks a feature as working only if a message proves it", () => {
  const [transport] = toReport({ ...comparison, recordings: [{ ...modern, exchanges: [] }] }).transports;
  expect(transport?.verdicts).toMatchObject([{ mark: "✗", evidence: expect.stringContaining("no message proves it") }]);
});

it("the HTML report loads no resources, runs no scripts and escapes text from servers", () => {
  const html = toHtml(comparison);
  expect(html).not.toMatch(/<(?:script|link|img|iframe)|src=|url\(|@import|https?:\/\/(?!127\.0\.0\.1)/);
  expect(html).not.toContain("<b>sampling</b>");
  expect(html.match(/class="arrow/g)?.length).toBe(4 + 7 + 2);
});

it("toHar returns one entry for each exchange, with absolute times", () => {
  const { log } = toHar(sse) as { log: { entries: { request: { url: string }; startedDateTime: string }[] } };
  expect(log.entries.map(({ request }) => request.url)).toEqual([
    "http://127.0.0.1:3000/sse",
    "http://127.0.0.1:3000/messages?session_id=a***",
  ]);
  expect(log.entries[0]?.startedDateTime).toBe("1970-01-01T00:00:01.010Z");
});

it("the timings of a HAR entry add up, even without a response", () => {
  const { response: _, ...unanswered } = exchange(2, {});
  const { log } = toHar({ ...modern, exchanges: [exchange(1, {}), unanswered] });
  const { entries } = log as { entries: { time: number; timings: object; response: { status: number } }[] };
  expect(entries).toMatchObject([
    { time: 5, timings: { send: 0, wait: 4, receive: 1 }, response: { status: 200 } },
    { time: 5, timings: { send: 0, wait: 5, receive: 0 }, response: { status: 0 } },
  ]);
});
