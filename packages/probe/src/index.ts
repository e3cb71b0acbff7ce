// The exports of lethe/probe: detects the eras, transport and sessions of a server, with evidence.

export type { InstanceFinding, Transport } from "./behaviour/findings.ts";
export type { Reason } from "./behaviour/modern-era.ts";
export type { Problem, ProblemReason } from "./behaviour/problem.ts";
export type { Confidence, Contract } from "./behaviour/session-contract.ts";
export type { Hint, ScoredReason } from "./hints/hint.ts";
export { signsOfKeptState } from "./hints/kept-state.ts";
export { type ProbeMethod, type ProbeOptions, probe } from "./probe.ts";
export type { Evidence } from "./report/evidence.ts";
export { type HtmlOptions, toHtml } from "./report/html.ts";
export { toMarkdown } from "./report/markdown.ts";
export { caution, type ProbeReport } from "./report/report.ts";
export { type Fact, toFacts } from "./report/sentences.ts";
export { colourOf, type Paint, type TextOptions, toText } from "./report/text.ts";
export { hidden, hideSecrets, isSecret, isSecretMember, longestFirst, secretsOf, toForms } from "./target/secrets.ts";
export {
  type CommandTarget,
  type HttpTarget,
  isHttpTarget,
  type ProbeTarget,
  parseAddress,
  type Statement,
} from "./target/target.ts";
export type { Advice, Pooling } from "./verdict/advice.ts";
export { type EraVerdict, newestEraOf, type Word } from "./verdict/era-verdict.ts";
export type { Features } from "./verdict/features.ts";
