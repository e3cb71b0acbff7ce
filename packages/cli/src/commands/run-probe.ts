// Runs `lethe probe`: probes the targets and prints their reports.
import {
  isHttpTarget,
  type ProbeMethod,
  type ProbeOptions,
  type ProbeReport,
  type ProbeTarget,
  probe,
  toHtml,
  toMarkdown,
  toText,
  type Word,
} from "@lethe/probe";
import { readEnvironment } from "@lethe/probe/html";
import type { Era } from "@lethe/protocol";
import { CommandError } from "../exit-code.ts";
import { print } from "../output/print.ts";
import { createProgressLine } from "../terminal/progress-line.ts";
import { createStyle } from "../terminal/style.ts";
import { requireFolders, writeFileOrFail } from "./compare-output.ts";
import { resolveTargets, type TargetOptions } from "./probe-targets.ts";
import { requireServerUrl } from "./server-url.ts";
import { untilInterrupted } from "./until-interrupted.ts";

export interface ProbeCommandOptions extends TargetOptions {
  timeout: number;
  startTimeout: number;
  era: Era | "auto";
  method: ProbeMethod;
  replica?: string[];
  restart?: boolean;
  json?: boolean;
  markdown?: boolean;
  html?: string;
  expect?: "stateless" | "stateful";
}

/** The number of servers that are probed at the same time. */
const concurrency = 4;
const exitCodes: Readonly<Record<Word, number>> = { STATELESS: 0, STATEFUL: 10, UNKNOWN: 20 };

/** `server` is the command after "--". Rejects with CommandError. */
export async function runProbe(
  words: readonly string[],
  server: readonly string[] | undefined,
  options: ProbeCommandOptions,
): Promise<void> {
  const targets = await resolveTargets(words, server, options);
  requireEffectiveOptions(targets, options);
  await requireFolders(options);
  const environment = readEnvironment();
  const progress = createProgressLine(process.stderr);
  const {
    timeout: timeoutMs,
    startTimeout: startTimeoutMs,
    era,
    method,
    replica: replicas = [],
    restart = false,
  } = options;
  const base: ProbeOptions = { timeoutMs, startTimeoutMs, era, method, replicas, restart };
  const reports = await untilInterrupted((signal) =>
    mapInOrder(targets, (target) => {
      const name = nameOf(target);
      return probe(target, { ...base, signal, onProgress: (what) => progress.show(`${name}: ${what}`) });
    }),
  ).finally(progress.clear);
  if (options.html !== undefined) await writeFileOrFail(options.html, toHtml(reports, { environment }));
  if (options.json || options.markdown) print(toOutput(reports, options));
  else process.stdout.write(toOutput(reports, options));
  if (options.html !== undefined) process.stderr.write(createStyle(process.stderr).dim(`wrote ${options.html}\n`));
  process.exitCode = toExitCode(reports, options.expect);
}

function requireEffectiveOptions(
  targets: readonly ProbeTarget[],
  { replica = [], restart, json, markdown, html }: ProbeCommandOptions,
): void {
  for (const url of replica) requireServerUrl(url);
  const isOneAddress = targets.length === 1 && targets.every(isHttpTarget);
  if (replica.length > 0 && !isOneAddress)
    throw new CommandError("--replica needs exactly one target, which must be a URL");
  if (restart && targets.every(isHttpTarget)) throw new CommandError("--restart needs a command");
  if (html === "") throw new CommandError("--html needs a name");
  if (json && markdown) throw new CommandError("--json and --markdown exclude each other");
}

function toOutput(reports: readonly ProbeReport[], { json, markdown, config }: ProbeCommandOptions): string {
  if (json) return `${JSON.stringify(reports.length === 1 && config === undefined ? reports[0] : reports, null, 2)}\n`;
  if (markdown) return reports.map(toMarkdown).join("\n");
  const paint = createStyle(process.stdout);
  const width = Math.min(process.stdout.columns ?? 100, 140);
  return reports.map((report) => toText(report, { paint, width })).join("\n");
}

function toExitCode(reports: readonly ProbeReport[], expected: ProbeCommandOptions["expect"]): number {
  if (expected === undefined) return Math.max(...reports.map(({ word }) => exitCodes[word]));
  const surprises = reports.filter(({ word }) => word !== expected.toUpperCase());
  for (const { target, word } of surprises) {
    process.stderr.write(`${target.name ?? target.address}: expected ${expected.toUpperCase()}, got ${word}\n`);
  }
  if (surprises.length === 0) return 0;
  return surprises.some(({ word }) => word === "UNKNOWN") ? exitCodes.UNKNOWN : exitCodes.STATEFUL;
}

function nameOf(target: ProbeTarget): string {
  return target.name ?? (isHttpTarget(target) ? target.url.replace(/\?.*/, "") : target.command);
}

async function mapInOrder<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  async function work(): Promise<void> {
    while (next < items.length) {
      const index = next++;
      results[index] = await run(items[index] as T);
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, work));
  return results;
}
