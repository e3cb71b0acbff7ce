// The options of `lethe compare`, and checks of their combinations.
import { resolve } from "node:path";
import type { NamedTarget } from "@lethe/compare";
import { CommandError } from "../exit-code.ts";
import { isHttpUrl, requireServerUrl } from "./server-url.ts";

export interface CompareCommandOptions {
  header?: Record<string, string>;
  env?: Record<string, string>;
  timeout: number;
  startTimeout?: number;
  script?: string;
  callAll?: boolean;
  tool?: string[];
  config?: string;
  server?: NamedTarget[];
  markdown?: boolean;
  json?: boolean;
  html?: string;
  har?: string;
  runs?: number;
  record?: string;
  to?: string;
}

/** Rejects options that would have no effect, because they indicate a user error. */
export function requireEffectiveOptions(
  words: readonly string[],
  server: readonly string[] | undefined,
  options: CompareCommandOptions,
): void {
  const { record, to, script, json, markdown, html, har, header, env } = options;
  const isOfReports = words.some(isReport);
  const isGiven =
    words.length > 0 || server !== undefined || options.config !== undefined || options.server !== undefined;
  if (json && markdown) throw new CommandError("--json and --markdown exclude each other");
  for (const [name, file] of Object.entries({ html, har, script })) {
    if (file === "") throw new CommandError(`--${name} needs a name`);
  }
  if (html !== undefined && har !== undefined && resolve(html) === resolve(har)) {
    throw new CommandError(`--html is a file and --har a folder: ${html} cannot be both`);
  }
  if (to !== undefined && record === undefined)
    throw new CommandError("--to needs --record PORT, the port to listen on");
  if (record !== undefined && (isGiven || script !== undefined || header || env)) {
    throw new CommandError(
      "--record forwards the requests of another client: it takes --to and no other target or script",
    );
  }
  if (isOfReports && (words.length > 2 || !words.every(isReport) || server)) {
    throw new CommandError("one JSON report expected, or two, such as: lethe compare before.json after.json");
  }
  if (isOfReports && [script, header, env].some((given) => given !== undefined)) {
    throw new CommandError("a JSON report is shown as recorded: it takes no --script, --header or --env");
  }
  if (words.length === 2 && isOfReports && [html, har, markdown].some((given) => given !== undefined)) {
    throw new CommandError(
      "the differences of two reports are shown as text or with --json; they take no other option",
    );
  }
  if (options.startTimeout !== undefined && !server && options.config === undefined) {
    throw new CommandError('--start-timeout is for a server that is started: a command after "--", or one in --config');
  }
  if (options.runs !== undefined && (isOfReports || record !== undefined)) {
    throw new CommandError("--runs repeats the script: recorded traffic and saved reports are not run again");
  }
  requireFittingCalls(options, isGiven && !isOfReports);
  if ((header || env) && !isGiven) {
    throw new CommandError('--header and --env are for a server that is given: a URL, or a command after "--"');
  }
}

function requireFittingCalls({ script, callAll, tool }: CompareCommandOptions, isServer: boolean): void {
  if (!callAll && !tool) return;
  if (callAll && tool) throw new CommandError("--call-all and --tool exclude each other");
  if (!isServer) throw new CommandError("--call-all and --tool need a server");
  if (script !== undefined && script !== minimal) {
    throw new CommandError("a script names its tools: it takes no --call-all or --tool");
  }
}

/** For commander: `NAME=URL`. */
export function collectServer(text: string, before: readonly NamedTarget[] = []): NamedTarget[] {
  const equals = text.indexOf("=");
  const [name, url] = [text.slice(0, equals).trim(), text.slice(equals + 1)];
  if (equals === -1 || name === "") throw new CommandError(`--server must be NAME=URL, got "${text}"`);
  requireServerUrl(url, "; use --config FILE for a command");
  return [...before, { name, target: { url } }];
}

/** The value of --script for the built-in script of three steps. */
export const minimal = "minimal";

/** True for a JSON report. One report is shown again, two are compared. */
export function isReport(word: string): boolean {
  return word.endsWith(".json") && !isHttpUrl(word);
}

/** More runs take long and say little more. */
const maxRuns = 100;

/** For commander. */
export function parseRuns(text: string): number {
  const runs = Number(text);
  if (Number.isInteger(runs) && runs >= 1 && runs <= maxRuns) return runs;
  throw new CommandError(`--runs must be a whole number from 1 to ${maxRuns}, got "${text}"`);
}
