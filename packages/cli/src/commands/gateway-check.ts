// lethe gateway check: reports the problems of configuration files, or their contents.
import { ConfigError, findUnstartable, type ReadConfig, type RedisSettings, type UpstreamConfig } from "@lethe/gateway";
import { hideSecrets, longestFirst } from "@lethe/probe";
import { Command } from "commander";
import { exitCode, exitCodeHelp } from "../exit-code.ts";
import {
  addConfigOptions,
  type ConfigOptions,
  loadConfig,
  refuseWords,
  toCommandError,
} from "../gateway/gateway-options.ts";
import { printJson } from "../output/print.ts";
import { toPrintable } from "../terminal/printable.ts";
import { createStyle, type Style } from "../terminal/style.ts";

/** The output of `--json`, with and without problems. Later versions may add members but remove none. */
export interface CheckReport {
  isValid: boolean;
  /** Problems with file and position. Empty if the configuration is valid. */
  problems: readonly string[];
  notes: readonly string[];
  /** Names of servers whose program or folder does not exist on this machine. */
  unstartable: readonly string[];
  /** The files that were read. This member and the next two are absent if there are problems. */
  files?: readonly string[];
  servers?: readonly CheckedServer[];
  /** Keys of the "gateway" block, except "upstreams". */
  settings?: readonly string[];
  /** Present if Redis is configured. */
  redis?: CheckedRedis;
}

export interface CheckedRedis {
  url: string;
  isReached: boolean;
  /** Why Redis is not reachable. */
  problem?: string;
  /** A setting that may lose data. */
  warning?: string;
}

/** Contains the names of variables and headers without their values, and the number of arguments. */
export type CheckedServer =
  | { name: string; kind: "stdio"; command: string; arguments: number; env: readonly string[]; cwd?: string }
  | { name: string; kind: "http"; url: string; headers: readonly string[] };

export function createCheckCommand(): Command {
  return addConfigOptions(new Command("check"))
    .description("read the configuration and report all problems, without starting a server")
    .option("--json", "print the report as JSON on stdout, also if there are problems")
    .addHelpText("after", help)
    .allowExcessArguments(true)
    .action(async ({ json, ...options }: ConfigOptions & { json?: boolean }, given: Command) => {
      refuseWords(given, "gateway check");
      if (json) await printReport(options);
      else await printText(options, createStyle(process.stdout));
    });
}

const help = `
Examples:
  lethe gateway check --config servers.json
  lethe gateway check --config servers.json --json | jq -r '.problems[]'

The exit code is 1 if something is wrong, and if the program or the folder of a server does not exist
on this machine.

The JSON has isValid, problems, notes and unstartable, and of a configuration that is right files, servers and settings,
and whether its Redis is reached.
Secrets are left out: of variables and headers there are the names.
${exitCodeHelp}`;

async function printText(options: ConfigOptions, style: Style): Promise<void> {
  const read = await loadConfig(options).catch(toCommandError);
  const unstartable = findUnstartable(read.config, process.env);
  process.stdout.write(toText(read, style, unstartable));
  if (unstartable.length > 0) process.exitCode = exitCode.usage;
  const { redis } = read.config.settings ?? {};
  if (!redis) return;
  const { url, problem, warning } = await reachRedis(redis);
  const found = problem === undefined ? "is reachable" : `is not reachable: ${toPrintable(problem)}`;
  process.stdout.write(`${problem === undefined ? style.green("✓") : style.red("✗")} ${toPrintable(url)} ${found}\n`);
  if (warning !== undefined) process.stdout.write(`${style.yellow("!")} ${toPrintable(warning)}\n`);
}

async function printReport(options: ConfigOptions): Promise<void> {
  try {
    const read = await loadConfig(options);
    const { redis } = read.config.settings ?? {};
    const unstartable = findUnstartable(read.config, process.env);
    const report: CheckReport = { ...toReport(read, unstartable), ...(redis && { redis: await reachRedis(redis) }) };
    printJson(report);
    if (unstartable.length > 0) process.exitCode = exitCode.usage;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const report: CheckReport = { isValid: false, problems: error.problems, notes: [], unstartable: [] };
    printJson(report);
    process.exitCode = exitCode.usage;
  }
}

export function toReport(
  { config, notes, files, secrets }: ReadConfig,
  unstartable: readonly string[] = [],
): CheckReport {
  const known = longestFirst(secrets);
  const shown = (text: string): string => hideSecrets(text, known);
  return {
    isValid: true,
    problems: [],
    notes: notes.map(shown),
    unstartable,
    files,
    servers: config.upstreams.map((upstream) => toServer(upstream, shown)),
    settings: toKeys(config),
  };
}

function toServer(upstream: UpstreamConfig, shown: (text: string) => string): CheckedServer {
  const { name } = upstream;
  if (upstream.kind === "http") {
    return { name, kind: "http", url: shown(withoutQuery(upstream.url)), headers: Object.keys(upstream.headers) };
  }
  const { command, args, env, cwd } = upstream;
  return {
    ...{ name, kind: "stdio", command: shown(command), arguments: args.length, env: Object.keys(env) },
    ...(cwd !== undefined && { cwd: shown(cwd) }),
  };
}

/** Tests whether this machine reaches Redis. */
async function reachRedis(settings: RedisSettings): Promise<CheckedRedis> {
  const url = hideSecrets(settings.url);
  try {
    const { connectRedis } = await import("@lethe/redis");
    let warning: string | undefined;
    const onProblem = (problem: string) => {
      warning = problem;
    };
    (await connectRedis({ ...settings, onProblem })).close();
    return { url, isReached: true, ...(warning !== undefined && { warning }) };
  } catch (error) {
    return { url, isReached: false, problem: hideSecrets((error as Error).message) };
  }
}

/** Omits values that may be secret, such as those of variables and headers. */
export function toText({ config, notes }: ReadConfig, style: Style, unstartable: readonly string[] = []): string {
  const width = Math.max(...config.upstreams.map(({ name }) => name.length));
  const markOf = (name: string) => (unstartable.includes(name) ? style.red("✗") : style.green("✓"));
  const lines = config.upstreams.map(
    (upstream) =>
      `${markOf(upstream.name)} ${upstream.name.padEnd(width)}  ${toPrintable(hideSecrets(describe(upstream)))}`,
  );
  const keys = toKeys(config);
  const blocks = keys.length > 0 ? [`  gateway: ${keys.join(", ")}`] : [];
  return `${[...lines, ...blocks, ...notes.map((note) => `${style.yellow("!")} ${toPrintable(note)}`)].join("\n")}\n`;
}

/** Returns the keys as in the file. */
function toKeys({ settings = {} }: ReadConfig["config"]): string[] {
  return Object.keys(settings).map((member) => (member === "isProbing" ? "probe" : member));
}

/** Removes the query, because it may contain a key. */
function withoutQuery(url: string): string {
  return url.split("?")[0] ?? "";
}

function describe(upstream: UpstreamConfig): string {
  if (upstream.kind === "http") {
    const { url, headers } = upstream;
    const names = Object.keys(headers);
    return `${withoutQuery(url)}${names.length > 0 ? ` with ${names.join(", ")}` : ""}`;
  }
  const { command, args, env, cwd } = upstream;
  const names = Object.keys(env);
  const given = args.length === 1 ? " and 1 argument" : args.length > 1 ? ` and ${args.length} arguments` : "";
  const words = `${command}${given}`;
  return `${words}${names.length > 0 ? ` with ${names.join(", ")}` : ""}${cwd === undefined ? "" : ` in ${cwd}`}`;
}
