// Reads one server of a desktop client's or editor's file. Other members are ignored.
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { secretsOf } from "@lethe/probe";
import { isJsonObject } from "@lethe/protocol";
import { toOpenApiUpstream } from "./openapi-entry.ts";
import { readHeaders } from "./read-headers.ts";
import { type ReadContext, readValue, recordProblem } from "./read-value.ts";
import {
  type EntryTransport,
  entryTransports,
  type HttpEntry,
  httpEntry,
  openApiEntry,
  type StdioEntry,
  stdioEntry,
  toTransport,
  urlMembers,
} from "./schema/server.ts";
import type { Exposure } from "./schema/settings.ts";
import type { Path } from "./source-file.ts";
import type { FileUpstream } from "./upstream-config.ts";
import { isSecretVariable } from "./variables.ts";

/** The entry as the file has it. */
export interface GivenEntry {
  readonly path: Path;
  readonly given: unknown;
  readonly file: ReadContext;
}

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

/** Up to this value, `timeout` is in seconds (Cline, Roo Code: at most an hour), above it in ms (Gemini CLI, Claude Code). */
const longestSeconds = 3_600;

/** Returns undefined if the entry is invalid. Its problems are recorded. */
export function readServerEntry(entry: GivenEntry, context: EntryContext): FileUpstream | undefined {
  const { given, path, file } = entry;
  const members = isJsonObject(given) ? given : {};
  if (members.openapi !== undefined) {
    const api = readValue(openApiEntry, given, path, file);
    return api && toOpenApiUpstream(api, context);
  }
  for (const member of ["headersHelper", "oauth"]) {
    if (members[member] === undefined) continue;
    context.onNote(`${context.name}: "${member}" is not read here; see gateway.upstreams.${context.name}.credentials`);
  }
  const transport = readTransport(entry);
  if (transport === undefined) return undefined;
  if (transport !== "stdio") {
    const remote = readValue(httpEntry, given, path, file);
    return remote && toHttpUpstream(remote, { transport, entry }, context);
  }
  const local = readValue(stdioEntry, given, path, file);
  return local && toStdioUpstream(local, entry, context);
}

/** Returns the stated transport, else the one that the members imply. */
function readTransport({ given, path, file }: GivenEntry): EntryTransport | undefined {
  const stated = readValue(entryTransports, given, path, file);
  if (stated === undefined) return undefined;
  const name = stated.type ?? stated.transport ?? stated.transportType;
  if (name !== undefined) return toTransport(name);
  const has = (member: string) => (given as Record<string, unknown>)[member] !== undefined;
  if (has("command")) return "stdio";
  if (has("httpUrl")) return "streamable-http";
  if (urlMembers.some(has)) return "http";
  const problem = 'must have a "command" (a local server), a "url" (a remote one) or "openapi" (an HTTP API)';
  recordProblem(path, problem, file);
  return undefined;
}

function toStdioUpstream(entry: StdioEntry, given: GivenEntry, context: EntryContext): FileUpstream {
  const { command, args = [] } = entry;
  const env = { ...readEnvFile(entry, given, context), ...toEnv(entry) };
  for (const [name, value] of Object.entries(env)) if (isSecretVariable(name)) context.onSecret(value);
  for (const secret of secretsOf({ command: "", args })) context.onSecret(secret);
  const cwd = toCwd(entry, context);
  return { kind: "stdio", ...toShared(entry, context), command, args, env, ...(cwd && { cwd }) };
}

function toHttpUpstream(
  remote: HttpEntry,
  { transport, entry }: { transport: Exclude<EntryTransport, "stdio">; entry: GivenEntry },
  context: EntryContext,
): FileUpstream | undefined {
  const url = remote.url ?? remote.httpUrl ?? remote.serverUrl;
  const shared = toShared(remote, context);
  // Files of other programs often contain `accept` or `content-type`.
  const { headers, reserved } = readHeaders(remote.headers ?? {}, context.onSecret);
  if (reserved.length > 0) {
    const what = reserved.length > 1 ? `the headers ${listOf(reserved)} are` : `the header ${reserved[0]} is`;
    context.onNote(`${shared.name}: ${what} ignored, because the protocol sets ${reserved.length > 1 ? "them" : "it"}`);
  }
  if (url === undefined) {
    recordProblem([...entry.path, "url"], "must be an http or https URL, got nothing", entry.file);
    return undefined;
  }
  for (const secret of secretsOf({ url })) context.onSecret(secret);
  return { kind: "http", ...shared, url, headers, ...(transport !== "http" && { transport }) };
}

function listOf(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** VS Code allows null for "not set". */
function toEnv({ env = {} }: StdioEntry): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== null));
}

function readEnvFile(
  { envFile }: StdioEntry,
  { path, file: source }: GivenEntry,
  { folder, onFile }: EntryContext,
): Record<string, string> {
  if (envFile === undefined) return {};
  const file = resolve(folder, envFile);
  onFile(file);
  try {
    return { ...(parseEnv(readFileSync(file, "utf8")) as Record<string, string>) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const problem = code === "ENOENT" ? `names ${file}: no such file` : `cannot be read: ${file} (${code})`;
    recordProblem([...path, "envFile"], problem, source);
    return {};
  }
}

/** Not an error, because the folder may be created later. */
function toCwd({ cwd: given }: StdioEntry, { name, folder, defaultCwd, onNote }: EntryContext): string | undefined {
  if (given === undefined) return defaultCwd;
  const cwd = resolve(folder, given);
  if (!existsSync(cwd)) onNote(`${name}: there is no folder ${cwd}, so that it cannot be started`);
  return cwd;
}

/** With the filters of Gemini CLI and Roo Code. Without them the gateway would offer tools that the author hides. */
function toShared(
  { timeout, includeTools: allow, excludeTools, disabledTools }: StdioEntry | HttpEntry,
  { name }: EntryContext,
): { name: string; timeoutMs?: number; tools?: Exposure } {
  const deny = excludeTools ?? disabledTools;
  return {
    name,
    ...(timeout !== undefined && { timeoutMs: timeout <= longestSeconds ? timeout * 1_000 : timeout }),
    ...((allow || deny) && { tools: { ...(allow && { allow }), ...(deny && { deny }) } }),
  };
}
