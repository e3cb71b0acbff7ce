// The exports of lethe/compare: records what crosses the wire over each transport of a server, and fixtures of servers.

export {
  type Fixture,
  type FixtureExchange,
  type FixtureNotification,
  parseFixture,
  toFixtureText,
} from "./fixture/fixture.ts";
export { readLists } from "./fixture/read-lists.ts";
export { type FixtureRecorder, type RecordFixtureOptions, recordFixture } from "./fixture/record-fixture.ts";
export { type Replay, type ReplayOptions, replay } from "./fixture/replay.ts";
export { type HttpRecorder, type RecordHttpOptions, recordHttp } from "./record/record-http.ts";
export { type Command, recordStdio, type StdioRecorder } from "./record/record-stdio.ts";
export type { HttpExchange, Recording, StdioLine, StepRecord } from "./record/recording.ts";
export { type Difference, toDifferences } from "./report/difference.ts";
export { toHar } from "./report/har.ts";
export { toHtml } from "./report/html.ts";
export { toMarkdown } from "./report/markdown.ts";
export type { Measures } from "./report/measure.ts";
export type { MeasuredTransport } from "./report/measured-transport.ts";
export { type Report, toReport } from "./report/report.ts";
export { type Paint, type TextOptions, toText } from "./report/text.ts";
export type { Verdict } from "./report/verdict.ts";
export { type CompareOptions, compare } from "./run/compare.ts";
export { type Comparison, parseComparison } from "./run/comparison.ts";
export { type NamedTarget, toNamedTargets } from "./run/named-targets.ts";
export { type RecordTrafficOptions, recordTraffic, type Traffic } from "./run/record-traffic.ts";
export type { HttpTarget, Target } from "./run/target-transports.ts";
export type { UnavailableTransport } from "./run/unavailable-transport.ts";
export { minimalScript, surveyScript } from "./script/built-in-scripts.ts";
export { type Plan, parseScript, type Script, type Step, type Survey } from "./script/script.ts";
