// Reads one server of a desktop client's or editor's file in all of their spellings. Other members are ignored.
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { secretsOf } from "@lethe/probe";
import type { TransportName } from "@lethe/protocol";
import { readOpenApi } from "./openapi-entry.ts";
import { readHeaders } from "./read-headers.ts";
import type { Section } from "./section.ts";
import type { Exposure, FileUpstream } from "./upstream-config.ts";
import { isSecretVariable } from "./variables.ts";

export interface EntryContext {
  name: string;
  /** The folder of relative paths. */
  folder: string;
  /** The working directory of the process, if the entry has none. */
  defaultCwd: string | undefined;
  onNote(note: string): void;
  onSecret(value: string): void;
  /** Called with the path of each file that the entry depends on. */
  onFile(path: string): void;
}

type Transport = TransportName | "http";

/** Ignores letter case, dashes and underscores. */
const transports: ReadonlyMap<string, Transport> = new Map([
  ["stdio", "stdio"],
  ["local", "stdio"],
  ["http", "http"],
  ["streamablehttp", "streamable-http"],
  ["sse", "http-sse"],
  ["httpsse", "http-sse"],
]);
const knownTypes = '"stdio", "http", "streamable-http" or "sse"';
const urlMembers = ["url", "httpUrl", "serverUrl"] as const;

/** Up to this value, `timeout` is in seconds (Cline, Roo Code: at most an hour), above it in ms (Gemini CLI, Claude Code). */
const longestSeconds = 3_600;

/** Returns undefined if the entry is invalid. The section has recorded why. */
export function parseServerEntry(entry: Section, context: EntryContext): FileUpstream | undefined {
  if (entry.has("openapi")) return readOpenApi(entry, context);
  for (const member of ["headersHelper", "oauth"]) {
    if (entry.has(member)) {
      context.onNote(
        `${context.name}: "${member}" is not read here; see gateway.upstreams.${context.name}.credentials`,
      );
    }
  }
  const transport = readTransport(entry);
  if (transport === undefined) return undefined;
  const shared = { name: context.name, ...readTimeout(entry), ...readTools(entry) };
  if (transport !== "stdio") return readHttp(entry, { ...shared, transport }, context);
  const command = entry.requiredText("command");
  if (command === "") entry.fail("command", "must not be empty");
  const args = entry.texts("args") ?? [];
  const env = { ...readEnvFile(entry, context), ...readEnv(entry) };
  for (const [name, value] of Object.entries(env)) if (isSecretVariable(name)) context.onSecret(value);
  for (const secret of secretsOf({ command: "", args })) context.onSecret(secret);
  const cwd = readCwd(entry, context);
  return command === undefined ? undefined : { kind: "stdio", ...shared, command, args, env, ...(cwd && { cwd }) };
}

/** Returns the stated transport, else the one that the members imply. */
function readTransport(entry: Section): Transport | undefined {
  const member = ["type", "transport", "transportType"].find((name) => entry.has(name));
  if (member !== undefined) {
    const text = entry.text(member);
    if (text === undefined) return undefined;
    const transport = transports.get(text.toLowerCase().replace(/[-_]/g, ""));
    if (!transport) entry.fail(member, `must be ${knownTypes}, got "${text}"`);
    return transport;
  }
  if (entry.has("command")) return "stdio";
  if (entry.has("httpUrl")) return "streamable-http";
  if (urlMembers.some((name) => entry.has(name))) return "http";
  entry.fail(undefined, 'must have a "command" (a local server), a "url" (a remote one) or "openapi" (an HTTP API)');
  return undefined;
}

function readHttp(
  entry: Section,
  { transport, ...shared }: { transport: Exclude<Transport, "stdio">; name: string },
  { onSecret, onNote }: EntryContext,
): FileUpstream | undefined {
  const member = urlMembers.find((name) => entry.has(name));
  if (!member) entry.fail("url", "must be an http or https URL, got nothing");
  const url = member && entry.url(member);
  // Files of other programs often contain `accept` or `content-type`.
  const { headers = {}, reserved } = readHeaders(entry, onSecret);
  if (reserved.length > 0) {
    const what = reserved.length > 1 ? `the headers ${listOf(reserved)} are` : `the header ${reserved[0]} is`;
    onNote(`${shared.name}: ${what} ignored, because the protocol sets ${reserved.length > 1 ? "them" : "it"}`);
  }
  if (url === undefined) return undefined;
  for (const secret of secretsOf({ url })) onSecret(secret);
  return { kind: "http", ...shared, url, headers, ...(transport !== "http" && { transport }) };
}

function listOf(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** VS Code allows numbers, and null for "not set". */
function readEnv(entry: Section): Record<string, string> {
  const section = entry.section("env");
  const pairs = (section?.names ?? []).map((name) => [name, section?.scalar(name)] as const);
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

function readEnvFile(entry: Section, { folder, onFile }: EntryContext): Record<string, string> {
  const given = entry.text("envFile");
  if (given === undefined) return {};
  const file = resolve(folder, given);
  onFile(file);
  try {
    return { ...(parseEnv(readFileSync(file, "utf8")) as Record<string, string>) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    entry.fail("envFile", code === "ENOENT" ? `names ${file}: no such file` : `cannot be read: ${file} (${code})`);
    return {};
  }
}

/** Not an error, because the folder may be created later. */
function readCwd(entry: Section, { name, folder, defaultCwd, onNote }: EntryContext): string | undefined {
  const given = entry.text("cwd");
  if (given === undefined) return defaultCwd;
  const cwd = resolve(folder, given);
  if (!existsSync(cwd)) onNote(`${name}: there is no folder ${cwd}, so that it cannot be started`);
  return cwd;
}

function readTimeout(entry: Section): { timeoutMs?: number } {
  const timeout = entry.number("timeout");
  if (timeout === undefined) return {};
  return { timeoutMs: timeout <= longestSeconds ? timeout * 1_000 : timeout };
}

/** The filters of Gemini CLI and Roo Code. Without them the gateway would offer tools that the author hides. */
function readTools(entry: Section): { tools?: Exposure } {
  const allow = entry.texts("includeTools");
  const deny = entry.texts("excludeTools") ?? entry.texts("disabledTools");
  return allow || deny ? { tools: { ...(allow && { allow }), ...(deny && { deny }) } } : {};
}
