// The door of @lethe/compare: what really crosses the wire, for each way to reach a server.

export { type HttpRecorder, type RecordHttpOptions, recordHttp } from "./record/record-http.ts";
export { type Command, recordStdio, type StdioRecorder } from "./record/record-stdio.ts";
export type { HttpExchange, Recording, StdioLine, StepRecord } from "./record/recording.ts";
export { type Difference, toDifferences } from "./report/difference.ts";
export { toHar } from "./report/har.ts";
export { toHtml } from "./report/html.ts";
export { toMarkdown } from "./report/markdown.ts";
export type { Measures } from "./report/measure.ts";
export type { MeasuredWay } from "./report/measured-way.ts";
export { type Report, toReport } from "./report/report.ts";
export { type Paint, type TextOptions, toText } from "./report/text.ts";
export type { Verdict } from "./report/verdict.ts";
export type { AbsentWay } from "./run/absent-way.ts";
export { type CompareOptions, compare } from "./run/compare.ts";
export { type Comparison, parseComparison } from "./run/comparison.ts";
export { type RecordTrafficOptions, recordTraffic, type Traffic } from "./run/record-traffic.ts";
export { type NamedTarget, toNamedTargets } from "./run/several-targets.ts";
export type { HttpTarget, Target } from "./run/target-ways.ts";
export { minimalScript, surveyScript } from "./script/default-script.ts";
export { type Plan, parseScript, type Script, type Step, type Survey } from "./script/script.ts";
