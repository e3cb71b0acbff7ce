// The options of `lethe compare`, and which of them make no sense together.
import { CommandError } from "../exit-code.ts";
import { isHttpUrl } from "./server-url.ts";

export interface CompareCommandOptions {
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

/** What would be left unused says that something else was meant. */
export function requireSense(
  words: readonly string[],
  server: readonly string[] | undefined,
  options: CompareCommandOptions,
): void {
  const { record, to, script, json, markdown, html, har, header, env } = options;
  const isOfReports = words.some(isReport);
  if (json && markdown) throw new CommandError("--json and --markdown exclude each other");
  if (to !== undefined && record === undefined) throw new CommandError("--to needs --record PORT: where to listen");
  if (record !== undefined && (words.length > 0 || server || script !== undefined || header || env)) {
    throw new CommandError("--record passes on what another client sends: it takes --to and no other target or script");
  }
  if (isOfReports && (words.length !== 2 || !words.every(isReport) || server)) {
    throw new CommandError("two JSON reports expected, such as: lethe compare before.json after.json");
  }
  if (isOfReports && [html, har, script, header, env, markdown].some((given) => given !== undefined)) {
    throw new CommandError(
      "of two reports the differences are shown, as text or with --json; they take no other option",
    );
  }
  if (words.length + (server ? 1 : 0) > 1 && !isOfReports) throw new CommandError("one target expected, got more");
  if ((header || env) && words.length === 0 && !server) {
    throw new CommandError('--header and --env are for a server that is given: a URL, or a command after "--"');
  }
}

/** Of two of them the differences are shown. */
export function isReport(word: string): boolean {
  return word.endsWith(".json") && !isHttpUrl(word);
}
