// Runs `lethe gateway check`: prints the problems of configuration files, or their contents.
import { ConfigError, type FileUpstream, findUnstartable, type GatewaySettings, type ReadConfig } from "@lethe/gateway";
import { hideSecrets, longestFirst } from "@lethe/probe";
import { exitCode } from "../exit-code.ts";
import { findDocumentProblems } from "../gateway-command/document-problems.ts";
import { findObstacles, type Obstacles } from "../gateway-command/find-obstacles.ts";
import type { ConfigOptions, ListenOptions, WorkersOption } from "../gateway-command/gateway-options.ts";
import { loadConfig, toCommandError } from "../gateway-command/load-config.ts";
import { printJson } from "../output/print.ts";
import { toPrintable } from "../terminal/printable.ts";
import { createStyle, type Style } from "../terminal/style.ts";
import { whileWaiting } from "../terminal/waiting-line.ts";

/** The output of `--json`, with and without problems. Later versions may add members but remove none. */
export interface CheckReport {
  /** Whether the configuration is valid. */
  isValid: boolean;
  /** Whether a gateway with this configuration would start on this machine. */
  canStart: boolean;
  /** Problems with file and position. Empty if the configuration is valid. */
  problems: readonly string[];
  notes: readonly string[];
  /** Names of servers whose program, folder or OpenAPI document does not exist on this machine, or whose document is invalid. */
  unstartable: readonly string[];
  /** What else prevents a start, such as a port in use. This member and the next three are absent if there are problems. */
  obstacles?: readonly string[];
  /** The files that were read. */
  files?: readonly string[];
  servers?: readonly CheckedServer[];
  /** Keys of the "gateway" block, except "upstreams". */
  settings?: readonly string[];
  /** Present if Redis is configured. */
  redis?: Obstacles["redis"];
  /** Present if PostgreSQL is configured. */
  postgres?: Obstacles["postgres"];
}

/** Contains the names of variables and headers without their values, and the number of arguments. */
export type CheckedServer =
  | { name: string; kind: "stdio"; command: string; arguments: number; env: readonly string[]; cwd?: string }
  | { name: string; kind: "http"; url: string; headers: readonly string[] }
  | { name: string; kind: "openapi"; document: string };

export interface CheckOptions extends ConfigOptions, WorkersOption, Pick<ListenOptions, "port" | "host"> {
  json?: boolean;
}

/** Sets the exit code if a gateway would not start. Rejects with CommandError. */
export function runGatewayCheck(options: CheckOptions): Promise<void> {
  return options.json ? printReport(options) : printText(options, createStyle(process.stdout));
}

async function printText(options: CheckOptions, style: Style): Promise<void> {
  const { read, unstartable } = await check(await loadConfig(options).catch(toCommandError));
  process.stdout.write(toText(read, style, unstartable));
  const obstacles = await whileWaiting("ports and the shared store", findObstacles(settingsOf(read, options)));
  process.stdout.write(toObstacleText(obstacles, style));
  if (!canStart(unstartable, obstacles)) process.exitCode = exitCode.usage;
}

async function printReport(options: CheckOptions): Promise<void> {
  try {
    const { read, unstartable } = await check(await loadConfig(options));
    const obstacles = await whileWaiting("ports and the shared store", findObstacles(settingsOf(read, options)));
    const report = toReport(read, unstartable, obstacles);
    printJson(report);
    if (!report.canStart) process.exitCode = exitCode.usage;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { problems } = error;
    const report: CheckReport = { isValid: false, canStart: false, problems, notes: [], unstartable: [] };
    printJson(report);
    process.exitCode = exitCode.usage;
  }
}

/** Adds a note for each OpenAPI document that cannot be served. */
async function check(read: ReadConfig): Promise<{ read: ReadConfig; unstartable: readonly string[] }> {
  const documents = await findDocumentProblems(read.config);
  const notes = [...read.notes, ...documents.map(({ name, problem }) => `${name}: ${problem}`)];
  const unstartable = [...findUnstartable(read.config, process.env), ...documents.map(({ name }) => name)];
  return { read: { ...read, notes }, unstartable };
}

function settingsOf({ config }: ReadConfig, { port, host }: CheckOptions): GatewaySettings {
  return { ...config.settings, ...(port !== undefined && { port }), ...(host !== undefined && { host }) };
}

function canStart(unstartable: readonly string[], { redis, postgres, others }: Obstacles): boolean {
  const isUsable = redis?.problem === undefined && postgres?.problem === undefined;
  return unstartable.length === 0 && others.length === 0 && isUsable;
}

/** Returns a line for the shared store and for each obstacle, or no text. */
export function toObstacleText({ redis, postgres, others }: Obstacles, style: Style): string {
  const bad = (text: string) => `${style.red("✗")} ${toPrintable(text)}\n`;
  const lines = others.map(bad);
  const store: Obstacles["redis"] = redis ?? postgres;
  if (store) {
    const { url, isReached, problem, warning } = store;
    if (!isReached) lines.push(bad(`${url} is not reachable: ${problem}`));
    else if (problem !== undefined) lines.push(bad(`${url}: ${problem}`));
    else lines.push(`${style.green("✓")} ${toPrintable(url)} is reachable\n`);
    if (warning !== undefined) lines.push(`${style.yellow("!")} ${toPrintable(warning)}\n`);
  }
  return lines.join("");
}

export function toReport(
  { config, notes, files, secrets }: ReadConfig,
  unstartable: readonly string[] = [],
  obstacles: Obstacles = { others: [] },
): CheckReport {
  const known = longestFirst(secrets);
  const shown = (text: string): string => hideSecrets(text, known);
  return {
    isValid: true,
    canStart: canStart(unstartable, obstacles),
    problems: [],
    notes: notes.map(shown),
    unstartable,
    obstacles: obstacles.others,
    files,
    servers: config.upstreams.map((upstream) => toServer(upstream, shown)),
    settings: Object.keys(config.settings ?? {}),
    ...(obstacles.redis && { redis: obstacles.redis }),
    ...(obstacles.postgres && { postgres: obstacles.postgres }),
  };
}

function toServer(upstream: FileUpstream, shown: (text: string) => string): CheckedServer {
  const { name } = upstream;
  if (upstream.kind === "openapi") return { name, kind: "openapi", document: shown(withoutQuery(upstream.document)) };
  if (upstream.kind === "http") {
    return { name, kind: "http", url: shown(withoutQuery(upstream.url)), headers: Object.keys(upstream.headers) };
  }
  const { command, args, env, cwd } = upstream;
  return {
    ...{ name, kind: "stdio", command: shown(command), arguments: args.length, env: Object.keys(env) },
    ...(cwd !== undefined && { cwd: shown(cwd) }),
  };
}

/** Omits values that may be secret, such as those of variables and headers. */
export function toText({ config, notes }: ReadConfig, style: Style, unstartable: readonly string[] = []): string {
  const width = Math.max(...config.upstreams.map(({ name }) => name.length));
  const markOf = (name: string) => (unstartable.includes(name) ? style.red("✗") : style.green("✓"));
  const lines = config.upstreams.map(
    (upstream) =>
      `${markOf(upstream.name)} ${upstream.name.padEnd(width)}  ${toPrintable(hideSecrets(describe(upstream)))}`,
  );
  const keys = Object.keys(config.settings ?? {});
  const blocks = keys.length > 0 ? [`  gateway: ${keys.join(", ")}`] : [];
  return `${[...lines, ...blocks, ...notes.map((note) => `${style.yellow("!")} ${toPrintable(note)}`)].join("\n")}\n`;
}

/** Removes the query, because it may contain a key. */
function withoutQuery(url: string): string {
  return url.split("?")[0] ?? "";
}

function describe(upstream: FileUpstream): string {
  if (upstream.kind === "openapi") return `the HTTP API of ${withoutQuery(upstream.document)}`;
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
