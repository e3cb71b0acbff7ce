// lethe compare [TARGET]: runs one script over every transport of a server, and shows the recorded messages.
import {
  type Comparison,
  compare,
  minimalScript,
  type NamedTarget,
  type Plan,
  parseComparison,
  parseScript,
  surveyScript,
  type Target,
  toDifferences,
  toNamedTargets,
  toReport,
} from "@lethe/compare";
import { Command, Option } from "commander";
import { CommandError, exitCode, exitCodeHelp } from "../exit-code.ts";
import { printJson } from "../output/print.ts";
import { toPrintable, toPrintableLine } from "../terminal/printable.ts";
import { createStyle } from "../terminal/style.ts";
import {
  type CompareCommandOptions,
  collectServer,
  isReport,
  minimal,
  requireEffectiveOptions,
} from "./compare-options.ts";
import { requireFolders, writeReport } from "./compare-output.ts";
import { collectHeader } from "./headers.ts";
import { resolveTargets } from "./probe-targets.ts";
import { readJson } from "./read-json.ts";
import { recordUntilStopped } from "./record.ts";
import { collectVariable } from "./target.ts";
import { defaultStartTimeoutMs, parseStartTimeout, parseTimeout, startTimeoutHelp } from "./timeout.ts";
import { untilInterrupted } from "./until-interrupted.ts";

/** `server` is the command after "--". */
export function createCompareCommand(server: readonly string[] | undefined): Command {
  return new Command("compare")
    .description("run one script over every transport of a server and show what crosses the wire")
    .usage(
      "[options] [url...]\n       lethe compare [options] -- <command> [args...]\n       lethe compare <a.json> [b.json]",
    )
    .argument(
      "[target...]",
      "URLs, and names of servers in --config; none for the built-in server; one JSON report to show it again, two to compare them",
    )
    .option("--server <name=url>", "a server and its name in the report; may be given again", collectServer)
    .option("--config <file>", "an mcpServers file or VS Code's mcp.json: all its servers, or the named ones")
    .option("--script <file>", 'a JSON file of steps; "minimal" connects, lists the tools and calls one')
    .option("--call-all", "without a script: also call tools that are not annotated as read-only")
    .option("--tool <name>", "without a script: call only this tool; may be given again", collectTool)
    .option("--markdown", "print the report as Markdown, with every exchange")
    .option("--json", "print everything as one JSON object, recordings included")
    .option("--html <file>", "also write the report as one HTML page")
    .option("--har <folder>", "also write an HTTP Archive for each HTTP transport")
    .option(
      "--header <name: value>",
      "sent with every request, masked in the report; may be given again",
      collectHeader,
    )
    .option(
      "--env <name=value>",
      "for a started server, masked in the report; NAME alone passes the variable on",
      collectVariable,
    )
    .addOption(
      new Option("--timeout <seconds>", "time limit of each step").argParser(parseTimeout).default(10_000, "10"),
    )
    .addOption(new Option("--start-timeout <seconds>", startTimeoutHelp).argParser(parseStartTimeout))
    .option("--record <port>", "only record: listen on this port and forward everything to --to until stopped")
    .option("--to <url>", "the URL to which --record forwards everything")
    .addHelpText("after", help)
    .action((words: string[], options: CompareCommandOptions) => runCompare(words, server, options));
}

const help = `
Without a script, every feature that the server declares is tried, and its read-only tools are called with arguments that are
generated from their schemas. Several targets share one table.

Examples:
  lethe compare --html report.html
  lethe compare http://localhost:3000/mcp
  lethe compare --server stateful=http://localhost:3000/mcp --server stateless=http://localhost:3001/mcp
  lethe compare --config servers.json --script minimal
  lethe compare --script steps.json -- npx -y @modelcontextprotocol/server-everything
  lethe compare --record 4000 --to http://localhost:3000/mcp --json > recording.json
  lethe compare recording.json --html recording.html
  lethe compare before.json after.json
${exitCodeHelp}`;

async function runCompare(
  words: string[],
  server: readonly string[] | undefined,
  options: CompareCommandOptions,
): Promise<void> {
  requireEffectiveOptions(words, server, options);
  await requireFolders(options);
  const { record, to, timeout: timeoutMs, startTimeout } = options;
  const startTimeoutMs = startTimeout ?? Math.max(defaultStartTimeoutMs, timeoutMs);
  if (record !== undefined) return writeReport(await recordUntilStopped(record, to), options);
  if (words.length === 2 && words.some(isReport)) return showDifferences(words, options);
  if (words.some(isReport)) return writeReport(await readReport(words[0]), options);
  const { target, secrets } = await toTarget(words, server, options);
  const style = createStyle(process.stderr);
  const plan = await toPlan(options, target !== undefined);
  const comparison = await untilInterrupted((signal) =>
    compare(target, {
      ...{ ...(plan && { script: plan }), timeoutMs, connectTimeoutMs: timeoutMs, startTimeoutMs, secrets, signal },
      onProgress: (title) => process.stderr.write(style.dim(`${title} …\n`)),
    }),
  );
  const { transports, unavailable } = toReport(comparison);
  if (transports.length > 0 || options.json) await writeReport(comparison, options);
  if (transports.length > 0) return;
  // Transports that fail for the same reason share a line.
  const reasons = new Map<string, string[]>();
  for (const { reason, title } of unavailable) reasons.set(reason, [...(reasons.get(reason) ?? []), title]);
  const lines = [...reasons].map(([reason, titles]) => `\n  ${titles.join("; ")}: ${toPrintableLine(reason)}`);
  throw new CommandError(`the server is not reachable over any transport${lines.join("")}`, exitCode.unreachable);
}

async function toTarget(
  words: readonly string[],
  server: readonly string[] | undefined,
  options: CompareCommandOptions,
): Promise<{ target: Target | readonly NamedTarget[] | undefined; secrets: string[] }> {
  const { header, env, config, server: named = [] } = options;
  const isGiven = words.length > 0 || server !== undefined || config !== undefined;
  const targets = isGiven ? await resolveTargets(words, server, options) : [];
  const secrets = targets.flatMap((one) => one.secrets ?? []);
  if (targets.length === 0 && named.length === 0) return { target: undefined, secrets };
  const [only] = targets;
  if (only && targets.length === 1 && named.length === 0 && only.name === undefined) return { target: only, secrets };
  if ((header || env) && targets.length + named.length > 1) {
    throw new CommandError("--header and --env are for one target at a time");
  }
  return { target: [...named, ...toNamedTargets(targets)], secrets };
}

/** Without --script, returns the script of the built-in server, or a survey of the given one. */
async function toPlan({ script, callAll, tool }: CompareCommandOptions, isServer: boolean): Promise<Plan | undefined> {
  if (script !== undefined && script !== minimal) return readJson(script, parseScript, scriptHint);
  const calls = { ...(callAll && { callAll }), ...(tool && { tools: tool }) };
  if (script === minimal) return { ...minimalScript, ...calls };
  return isServer ? { ...surveyScript, ...calls } : undefined;
}

function readReport(file = ""): Promise<Comparison> {
  return readJson(file, parseComparison, "create a report with: lethe compare --json > report.json");
}

function collectTool(name: string, before: readonly string[] = []): string[] {
  return [...before, name];
}

const scriptHint = "the README of @lethe/compare shows a script";

async function showDifferences([a, b]: string[], { json }: CompareCommandOptions): Promise<void> {
  const differences = toDifferences(await readReport(a), await readReport(b));
  if (json) return printJson(differences);
  if (differences.length === 0) process.stdout.write("neither report contains a recording\n");
  const style = createStyle(process.stdout);
  for (const { title, lines } of differences) {
    process.stdout.write(`${style.bold(title)}\n${lines.length === 0 ? "  no difference\n" : ""}`);
    for (const line of lines) {
      const paint = { "-": style.red, "+": style.green }[line[0] ?? ""] ?? style.dim;
      process.stdout.write(`${paint(toPrintable(line))}\n`);
    }
  }
}
