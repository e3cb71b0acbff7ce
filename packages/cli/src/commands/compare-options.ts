// The options of `lethe compare`, and which of them make no sense together.
import { resolve } from "node:path";
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
  for (const [name, file] of Object.entries({ html, har, script })) {
    if (file === "") throw new CommandError(`--${name} needs a name`);
  }
  if (html !== undefined && har !== undefined && resolve(html) === resolve(har)) {
    throw new CommandError(`--html is a file and --har a folder: both cannot be ${html}`);
  }
  if (to !== undefined && record === undefined) throw new CommandError("--to needs --record PORT: where to listen");
  if (record !== undefined && (words.length > 0 || server || script !== undefined || header || env)) {
    throw new CommandError("--record passes on what another client sends: it takes --to and no other target or script");
  }
  if (isOfReports && (words.length > 2 || !words.every(isReport) || server)) {
    throw new CommandError("one JSON report expected, or two, such as: lethe compare before.json after.json");
  }
  if (isOfReports && [script, header, env].some((given) => given !== undefined)) {
    throw new CommandError("a JSON report is shown as it was recorded: it takes no --script, --header or --env");
  }
  if (words.length === 2 && isOfReports && [html, har, markdown].some((given) => given !== undefined)) {
    throw new CommandError(
      "of two reports the differences are shown, as text or with --json; they take no other option",
    );
  }
  if (words.length + (server ? 1 : 0) > 1 && !isOfReports) throw new CommandError("one target expected, got more");
  if ((header || env) && words.length === 0 && !server) {
    throw new CommandError('--header and --env are for a server that is given: a URL, or a command after "--"');
  }
}

/** It is shown again; of two of them the differences are. */
export function isReport(word: string): boolean {
  return word.endsWith(".json") && !isHttpUrl(word);
}
