// lethe compare [TARGET]: one script over every way to reach a server, and what really crossed the wire.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type Comparison,
  compare,
  parseComparison,
  parseScript,
  type Target,
  toDifferences,
  toHar,
  toHtml,
  toMarkdown,
  toReport,
} from "@lethe/compare";
import { Command, Option } from "commander";
import { CommandError, exitCode, exitCodeHelp } from "../exit-code.ts";
import { createStyle } from "../terminal/style.ts";
import { collectHeader } from "./headers.ts";
import { recordUntilStopped } from "./record.ts";
import { parseSeconds } from "./seconds.ts";
import { collectVariable, toCommandTarget } from "./target.ts";

interface CompareCommandOptions {
  header?: Record<string, string>;
  env?: Record<string, string>;
  timeout: number;
  script?: string;
  markdown?: boolean;
  json?: boolean;
  html?: string;
  har?: string;
  record?: string;
  to?: string;
}

/** `server` is the command after "--". */
export function createCompareCommand(server: readonly string[] | undefined): Command {
  return new Command("compare")
    .description("run one script over every way to reach a server and show what crosses the wire")
    .usage(
      "[options] [url]\n       lethe compare [options] -- <command> [args...]\n       lethe compare <a.json> <b.json>",
    )
    .argument("[target...]", "a URL; nothing for the built-in server; two JSON reports to see what differs")
    .option("--script <file>", "a JSON file of steps in place of the built-in ones")
    .option("--markdown", "print the report as Markdown (the default)")
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
    .addOption(new Option("--timeout <seconds>", "for each step").argParser(parseSeconds).default(10_000, "10"))
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
  lethe compare before.json after.json
${exitCodeHelp}`;

async function runCompare(
  words: string[],
  server: readonly string[] | undefined,
  options: CompareCommandOptions,
): Promise<void> {
  if (options.record !== undefined) return finish(await recordUntilStopped(options.record, options.to), options);
  if (words.length === 2 && words.every((word) => word.endsWith(".json"))) return showDifferences(words);
  const style = createStyle(process.stderr);
  const target = toTarget(words, server, options);
  const comparison = await compare(target, {
    timeoutMs: options.timeout,
    connectTimeoutMs: options.timeout,
    onProgress: (title) => process.stderr.write(style.dim(`${title} …\n`)),
    ...(options.script !== undefined && { script: await readJson(options.script, parseScript) }),
  });
  await finish(comparison, options);
  const report = toReport(comparison);
  if (report.ways.length > 0) return;
  const reasons = report.absent.map(({ title, reason }) => `${title}: ${reason}`).join("\n  ");
  throw new CommandError(`the server could be reached in no way:\n  ${reasons}`, exitCode.unreachable);
}

function toTarget(
  [url, ...more]: string[],
  server: readonly string[] | undefined,
  { header, env }: CompareCommandOptions,
): Target | undefined {
  if (more.length > 0 || (url !== undefined && server)) throw new CommandError("one target expected, got more");
  if (server) return toCommandTarget(server, env);
  if (url === undefined) return undefined;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new CommandError(`a target must be an http or https URL, or a command after "--", got "${url}"`);
  }
  return { url, ...(header && { headers: header }) };
}

async function finish(comparison: Comparison, { html, har, json }: CompareCommandOptions): Promise<void> {
  if (html !== undefined) await writeFile(html, toHtml(comparison));
  if (har !== undefined) {
    await mkdir(har, { recursive: true });
    for (const recording of comparison.recordings) {
      if (recording.transport !== "http") continue;
      await writeFile(join(har, `${recording.id}.har`), JSON.stringify(toHar(recording), null, 1));
    }
  }
  const report = toReport(comparison);
  process.stdout.write(json ? `${JSON.stringify({ ...comparison, report }, null, 1)}\n` : toMarkdown(report));
}

async function showDifferences([a = "", b = ""]: string[]): Promise<void> {
  const differences = toDifferences(await readJson(a, parseComparison), await readJson(b, parseComparison));
  const style = createStyle(process.stdout);
  for (const { title, lines } of differences) {
    process.stdout.write(`${style.bold(title)}\n${lines.length === 0 ? "  no difference\n" : ""}`);
    for (const line of lines) {
      const paint = { "-": style.red, "+": style.green }[line[0] ?? ""] ?? style.dim;
      process.stdout.write(`${paint(line)}\n`);
    }
  }
}

async function readJson<T>(file: string, parse: (value: unknown) => T): Promise<T> {
  try {
    return parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    throw new CommandError(`${file}: ${(error as Error).message}`);
  }
}
