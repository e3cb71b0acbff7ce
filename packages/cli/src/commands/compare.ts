// lethe compare [TARGET]: one script over every way to reach a server, and what really crossed the wire.
import {
  type Comparison,
  compare,
  parseComparison,
  parseScript,
  type Target,
  toDifferences,
  toReport,
} from "@lethe/compare";
import { Command, Option } from "commander";
import { CommandError, exitCode, exitCodeHelp } from "../exit-code.ts";
import { printJson } from "../output/print.ts";
import { toPrintable, toPrintableLine } from "../terminal/printable.ts";
import { createStyle } from "../terminal/style.ts";
import { type CompareCommandOptions, isReport, requireSense } from "./compare-options.ts";
import { requireFolders, writeReport } from "./compare-output.ts";
import { collectHeader } from "./headers.ts";
import { readJson } from "./read-json.ts";
import { recordUntilStopped } from "./record.ts";
import { requireServerUrl } from "./server-url.ts";
import { collectVariable, requireFitting, toCommandTarget } from "./target.ts";
import { parseTimeout } from "./timeout.ts";
import { untilInterrupted } from "./until-interrupted.ts";

/** `server` is the command after "--". */
export function createCompareCommand(server: readonly string[] | undefined): Command {
  return new Command("compare")
    .description("run one script over every way to reach a server and show what crosses the wire")
    .usage(
      "[options] [url]\n       lethe compare [options] -- <command> [args...]\n       lethe compare <a.json> [b.json]",
    )
    .argument(
      "[target...]",
      "a URL; nothing for the built-in server; a JSON report to show it again, two to see what differs",
    )
    .option("--script <file>", "a JSON file of steps in place of the built-in ones")
    .option("--markdown", "print the report as Markdown, with every exchange")
    .option("--json", "print everything as one JSON object, recordings included")
    .option("--html <file>", "also write the report as one HTML page")
    .option("--har <folder>", "also write an HTTP Archive for each way over HTTP")
    .option(
      "--header <name: value>",
      "sent with every request, masked in the report; may be given again",
      collectHeader,
    )
    .option(
      "--env <name=value>",
      "for a server that is started, masked in the report; NAME alone passes it on",
      collectVariable,
    )
    .addOption(new Option("--timeout <seconds>", "for each step").argParser(parseTimeout).default(10_000, "10"))
    .option("--record <port>", "only record: listen there and pass everything to --to until stopped")
    .option("--to <url>", "where --record passes everything")
    .addHelpText("after", help)
    .action((words: string[], options: CompareCommandOptions) => runCompare(words, server, options));
}

const help = `
A server we do not know is asked for its lists, and its tool \`greet\` is called if there is one; a script says what else.

Examples:
  lethe compare --html report.html
  lethe compare http://localhost:3000/mcp
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
  requireSense(words, server, options);
  await requireFolders(options);
  const { record, to, script, timeout: timeoutMs } = options;
  if (record !== undefined) return writeReport(await recordUntilStopped(record, to), options);
  if (words.length === 2) return showDifferences(words, options);
  if (words.some(isReport)) return writeReport(await readReport(words[0]), options);
  const target = toTarget(words, server, options);
  const style = createStyle(process.stderr);
  const parsed = script === undefined ? {} : { script: await readJson(script, parseScript, scriptHint) };
  const comparison = await untilInterrupted((signal) =>
    compare(target, {
      ...{ ...parsed, timeoutMs, connectTimeoutMs: timeoutMs, signal },
      onProgress: (title) => process.stderr.write(style.dim(`${title} …\n`)),
    }),
  );
  const { ways, absent } = toReport(comparison);
  if (ways.length > 0 || options.json) await writeReport(comparison, options);
  if (ways.length > 0) return;
  // Where nobody is, there is one reason for all.
  const reasons = new Map<string, string[]>();
  for (const way of absent) reasons.set(way.reason, [...(reasons.get(way.reason) ?? []), way.title]);
  const lines = [...reasons].map(([reason, titles]) => `\n  ${titles.join("; ")}: ${toPrintableLine(reason)}`);
  throw new CommandError(`the server could be reached in no way${lines.join("")}`, exitCode.unreachable);
}

function toTarget(
  [url]: readonly string[],
  server: readonly string[] | undefined,
  { header, env }: CompareCommandOptions,
): Target | undefined {
  if (url === undefined && !server) return undefined;
  requireFitting({ header, env }, server ? "command" : "url");
  if (server) return toCommandTarget(server, env);
  if (url === undefined) return undefined;
  requireServerUrl(url, '; a command comes after "--"');
  return { url, ...(header && { headers: header }) };
}

function readReport(file = ""): Promise<Comparison> {
  return readJson(file, parseComparison, "a report is written by: lethe compare --json > report.json");
}

const scriptHint = "the README of @lethe/compare shows a script";

async function showDifferences([a, b]: string[], { json }: CompareCommandOptions): Promise<void> {
  const differences = toDifferences(await readReport(a), await readReport(b));
  if (json) return printJson(differences);
  if (differences.length === 0) process.stdout.write("nothing was recorded in either\n");
  const style = createStyle(process.stdout);
  for (const { title, lines } of differences) {
    process.stdout.write(`${style.bold(title)}\n${lines.length === 0 ? "  no difference\n" : ""}`);
    for (const line of lines) {
      const paint = { "-": style.red, "+": style.green }[line[0] ?? ""] ?? style.dim;
      process.stdout.write(`${paint(toPrintable(line))}\n`);
    }
  }
}
