// Runs `lethe compare`: records every transport of the targets, or shows saved reports.
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
import { CommandError, exitCode } from "../exit-code.ts";
import { printJson } from "../output/print.ts";
import { toPrintable, toPrintableLine } from "../terminal/printable.ts";
import { createStyle } from "../terminal/style.ts";
import { type CompareCommandOptions, isReport, minimal, requireEffectiveOptions } from "./compare-options.ts";
import { requireFolders, writeReport } from "./compare-output.ts";
import { resolveTargets } from "./probe-targets.ts";
import { readJson } from "./read-json.ts";
import { recordUntilStopped } from "./record.ts";
import { defaultStartTimeoutMs } from "./timeout.ts";
import { untilInterrupted } from "./until-interrupted.ts";

/** `server` is the command after "--". Rejects with CommandError. */
export async function runCompare(
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
      runs: options.runs ?? (target === undefined ? builtInRuns : 1),
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

/** The built-in server has no state that a repeated call could change for anyone. */
const builtInRuns = 5;

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

const scriptHint = 'a script looks like {"name": "mine", "steps": [{"feature": "list"}]}';

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
