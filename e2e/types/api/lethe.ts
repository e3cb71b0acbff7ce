// The functions of lethe/gateway, lethe/probe and lethe/compare: what they return, and each used once in a wrong way.
import { createServer, type McpError } from "@lethe/server";
import {
  type Comparison,
  compare,
  type Difference,
  type Fixture,
  minimalScript,
  type NamedTarget,
  parseComparison,
  parseFixture,
  parseScript,
  type Report,
  readLists,
  recordFixture,
  recordHttp,
  recordStdio,
  recordTraffic,
  replay,
  type Script,
  surveyScript,
  toMarkdown as toComparisonMarkdown,
  toText as toComparisonText,
  toDifferences,
  toFixtureText,
  toHar,
  toHtml,
  toNamedTargets,
  toReport,
} from "lethe/compare";
import {
  adaptServer,
  ConfigError,
  configurationSchema,
  createGateway,
  exampleConfig,
  findUnstartable,
  type Gateway,
  type GatewayConfig,
  type LogEntry,
  type LogFormat,
  logFormats,
  readConfig,
  type ServedGateway,
  serveGateway,
  toCallerError,
  toJsonLine,
  toTextLine,
} from "lethe/gateway";
import {
  caution,
  colourOf,
  hidden,
  hideSecrets,
  isHttpTarget,
  isSecret,
  isSecretMember,
  longestFirst,
  newestEraOf,
  type Paint,
  type ProbeReport,
  parseAddress,
  probe,
  secretsOf,
  signsOfKeptState,
  toFacts,
  toForms,
  toMarkdown,
  toHtml as toProbeHtml,
  toText,
  type Word,
} from "lethe/probe";

// Gateway.
const server = createServer({ name: "notes", version: "1.0.0" });
const config: GatewayConfig = {
  upstreams: [
    { kind: "stdio", name: "files", command: "npx", args: ["-y", "files"], env: {} },
    { kind: "http", name: "crm", url: "https://crm.example.com/mcp", headers: {} },
  ],
};
const gateway: Gateway = createGateway(config, { onProblem: (problem, upstream) => console.warn(upstream, problem) });
await gateway.close();
const read = await readConfig(["mcp.json"], { environment: process.env });
const served: ServedGateway = await serveGateway({ load: async () => read, settings: { port: 0 } });
export const address: string = served.url;
await served.close();
export const missing: string[] = findUnstartable(config, process.env);
export const problemsOf = (error: unknown): readonly string[] => (error instanceof ConfigError ? error.problems : []);
export const lines = (entry: LogEntry): string[] => [toJsonLine(entry), toTextLine(entry)];
export const format: LogFormat | undefined = logFormats[0];
export const example: string = exampleConfig;
export const title: unknown = (await configurationSchema()).title;
export const hiddenCause: McpError = toCallerError("files", new Error("broken pipe"), {});
// @ts-expect-error upstreams are missing
createGateway({});
// @ts-expect-error no such kind
createGateway({ upstreams: [{ name: "notes", kind: "pipe", command: "npx" }] });
// @ts-expect-error a command is missing
createGateway({ upstreams: [{ kind: "stdio", name: "files" }] });
// @ts-expect-error onError
createGateway(config, { onError: console.error });
// @ts-expect-error a list of files
await readConfig("mcp.json", { environment: process.env });
// @ts-expect-error load is missing
await serveGateway({ settings: { port: 0 } });
// @ts-expect-error not a server object of the official SDK
adaptServer({ name: "notes" });
// @ts-expect-error an environment is missing
findUnstartable(config);
// @ts-expect-error a log entry has a time
toJsonLine({ message: "started" });

// @ts-expect-error what the caller declared is missing
toCallerError("files", new Error("broken pipe"));

// Probe.
const report: ProbeReport = await probe({ command: "npx", args: ["-y", "files"] }, { timeoutMs: 5_000 });
export const word: Word = report.word;
export const texts: string[] = [
  toText(report),
  toMarkdown(report),
  toProbeHtml([report]),
  ...toFacts(report).map(({ title }) => title),
];
export const url: URL = parseAddress("localhost:3000/mcp");
const files = { command: "npx", args: ["--token", "secret"] };
export const isRemote: boolean = isHttpTarget(files);
export const secrets: string[] = longestFirst(secretsOf(files).flatMap(toForms));
export const shown: string[] = [hideSecrets("token=secret", secrets), hidden, caution];
export const looksSecret: boolean = isSecret("sk-1234567890") || isSecretMember("password");
export const signs: readonly string[] = signsOfKeptState([{ name: "login" }]);
export const era: "modern" | "legacy" | undefined = newestEraOf(report.eras.modern, report.eras.legacy);
export const coloured = (paint: Paint): string => colourOf(word, paint)(word);
// @ts-expect-error text
hideSecrets(7);
// @ts-expect-error a target
secretsOf("npx");
// @ts-expect-error two eras
newestEraOf(report.eras.modern);
// @ts-expect-error no such verdict
colourOf("MAYBE", {});
// @ts-expect-error a target, not an address
await probe("https://mcp.example.com/mcp");
// @ts-expect-error timeout
await probe({ command: "npx" }, { timeout: 5_000 });
// @ts-expect-error a report
toText("STATELESS");

// Compare.
const comparison: Comparison = await compare(undefined, { onProgress: (title) => console.log(title) });
const summary: Report = toReport(comparison);
export const pages: string[] = [toComparisonText(summary), toComparisonMarkdown(summary), toHtml(comparison)];
const traffic = await recordTraffic(new URL("http://127.0.0.1:3000/mcp"));
export const recorded: Comparison = await traffic.finish();
export const archive = (recording: Comparison["recordings"][number]): unknown => toHar(recording);
const recorder = recordFixture(server.dispatch);
const fixture: Fixture = parseFixture(toFixtureText(recorder.fixture()));
export const replayed = replay(fixture);
await readLists(server.dispatch);
const targets: NamedTarget[] = toNamedTargets([{ command: "npx" }, { url: "http://127.0.0.1:3000/mcp" }]);
export const other: Comparison = await compare(targets, { script: minimalScript });
export const differences: Difference[] = toDifferences(comparison, other);
export const scripts: Script[] = [parseScript({}), parseScript(surveyScript)];
export const stored: Comparison = parseComparison(JSON.parse("{}"));
export const recorders = [await recordHttp({ to: url, now: Date.now }), await recordStdio(files, 0)];
// @ts-expect-error a dispatch, not a server
await readLists(server);
// @ts-expect-error a list of targets
toNamedTargets({ command: "npx" });
// @ts-expect-error two comparisons
toDifferences(comparison);
// @ts-expect-error a server is missing
await recordHttp({});
// @ts-expect-error a start time is missing
await recordStdio(files);
// @ts-expect-error a URL, not a string
await recordTraffic("http://127.0.0.1:3000/mcp");
// @ts-expect-error a dispatch, not a server
recordFixture(server);
// @ts-expect-error text
parseFixture(fixture);
// @ts-expect-error a fixture, not its text
replay("{}");
// @ts-expect-error no such option
await compare(undefined, { onStep: console.log });
