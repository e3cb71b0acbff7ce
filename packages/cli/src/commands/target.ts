// The server of a command: at a URL, or started by the command after "--".
import type { CommandTarget } from "@lethe/client";
import { CommandError } from "../exit-code.ts";

/** The arguments before and after "--". The latter are undefined without "--". */
export function splitCommandLine(words: readonly string[]): { own: string[]; server: string[] | undefined } {
  const end = words.indexOf("--");
  if (end === -1) return { own: [...words], server: undefined };
  const server = words.slice(end + 1);
  if (server.length === 0) throw new CommandError('a command is expected after "--", such as: -- npx my-server');
  return { own: words.slice(0, end), server };
}

/** For commander: `NAME=value`, or `NAME` for its value in this environment. */
export function collectVariable(
  text: string,
  before: Record<string, string> = {},
  option = "--env",
): Record<string, string> {
  const equals = text.indexOf("=");
  const name = equals === -1 ? text : text.slice(0, equals);
  const inherited = Object.hasOwn(process.env, name) ? process.env[name] : undefined;
  const value = equals === -1 ? inherited : text.slice(equals + 1);
  if (name === "") throw new CommandError(`${option} must be NAME=value or NAME, got "${text}"`);
  if (value === undefined) throw new CommandError(`${option} ${name}: no such variable in this environment`);
  return { ...before, [name]: value };
}

/** Options for only one kind of server, with their spelling. */
const flags = {
  url: { header: "--header", login: "--login", clientId: "--client-id", redirectPort: "--redirect-port" },
  command: { env: "--env", verbose: "--verbose", startTimeout: "--start-timeout" },
} as const;

type Flag = keyof typeof flags.url | keyof typeof flags.command;

/** Rejects options that would have no effect, because they indicate a mistake. */
export function requireFitting(given: { readonly [flag in Flag]?: unknown }, kind: "url" | "command"): void {
  const other = kind === "url" ? flags.command : flags.url;
  for (const [flag, name] of Object.entries(other)) {
    if (given[flag as Flag] === undefined) continue;
    const place = kind === "url" ? 'started by a command after "--"' : "at a URL";
    throw new CommandError(`${name} is for a server ${place}${flag === "header" ? "; a command takes --env" : ""}`);
  }
}

export function toCommandTarget(words: readonly string[], env: Record<string, string> = {}): CommandTarget {
  const [command = "", ...args] = words;
  return { command, args, env };
}
