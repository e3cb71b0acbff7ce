// The targets of `lethe probe`: URLs, a command after "--", and servers of a configuration file.
import { ConfigError, type FileUpstream, readConfig } from "@lethe/gateway";
import { isHttpTarget, type ProbeTarget, type Statement } from "@lethe/probe";
import { CommandError } from "../exit-code.ts";
import { isHttpUrl, requireServerUrl } from "./server-url.ts";
import { requireFitting, toCommandTarget } from "./target.ts";

export interface TargetOptions {
  config?: string;
  header?: Record<string, string>;
  env?: Record<string, string>;
}

/** `words` are URLs and names; `server` is the command after "--". Throws CommandError. */
export async function resolveTargets(
  words: readonly string[],
  server: readonly string[] | undefined,
  { config, header, env }: TargetOptions,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<ProbeTarget[]> {
  const names = words.filter((word) => config !== undefined && !isHttpUrl(word));
  const urls = words.filter((word) => !names.includes(word));
  for (const url of urls) requireServerUrl(url, '; names need --config FILE, commands come after "--"');
  // A token is for one server, so it is not sent if there are several targets.
  const token = words.length === 1 && server === undefined ? environment.LETHE_TOKEN : undefined;
  const headers = token === undefined || token === "" ? {} : { authorization: `Bearer ${token}` };
  const targets: ProbeTarget[] = urls.map((url) => ({ url, headers }));
  if (server) targets.push(toCommandTarget(server));
  if (config !== undefined && (names.length > 0 || targets.length === 0)) {
    targets.push(...(await readTargets(config, names)));
  }
  if (targets.length === 0) throw new CommandError("nothing to probe: give a URL, -- COMMAND, or --config FILE");
  // Credentials for one server must not reach the others.
  if ((header || env) && targets.length > 1) throw new CommandError("--header and --env are for one target at a time");
  return targets.map((target) => {
    requireFitting({ header, env }, isHttpTarget(target) ? "url" : "command");
    if (isHttpTarget(target)) return { ...target, headers: withHeader(target.headers, header) };
    return { ...target, env: { ...target.env, ...env } };
  });
}

/** Headers of the command line replace configured ones with the same name, ignoring case. */
function withHeader(
  headers: Readonly<Record<string, string>> = {},
  given: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const names = new Set(Object.keys(given).map((name) => name.toLowerCase()));
  const others = Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase()));
  return { ...Object.fromEntries(others), ...given };
}

/** Returns the named servers of the file, or all MCP servers if no name is given. */
async function readTargets(file: string, names: readonly string[]): Promise<ProbeTarget[]> {
  const { config, secrets } = await readConfig([file], { environment: process.env }).catch((error) => {
    throw error instanceof ConfigError ? new CommandError(error.message) : error;
  });
  const known = config.upstreams.map(({ name }) => name);
  const missing = names.find((name) => !known.includes(name));
  if (missing !== undefined) throw new CommandError(`${file} has no server "${missing}"; it has ${known.join(", ")}`);
  const chosen = config.upstreams.filter(({ name, kind }) =>
    names.length > 0 ? names.includes(name) : kind !== "openapi",
  );
  if (chosen.length === 0) throw new CommandError(`${file} has only HTTP APIs, no MCP server: nothing to probe`);
  return chosen.map((upstream) => ({ ...toTarget(upstream), secrets }));
}

function toTarget(upstream: FileUpstream): ProbeTarget {
  const { name } = upstream;
  const stated = statementOf(upstream);
  const base = { name, ...(stated && { stated }) };
  if (upstream.kind === "openapi")
    throw new CommandError(`${name} is an HTTP API, not an MCP server: nothing to probe`);
  if (upstream.kind === "http") return { ...base, url: upstream.url, headers: upstream.headers };
  const { command, args, env, cwd } = upstream;
  return { ...base, command, args, env, ...(cwd !== undefined && { cwd }) };
}

/** A shared affinity permits sharing but does not state that the server has no sessions. */
function statementOf({ sharing, era, affinity }: FileUpstream): Statement | undefined {
  if (sharing !== undefined) return sharing === "shared" ? "stateless" : "stateful";
  if (era === "modern") return "stateless";
  return affinity === undefined || affinity === "shared" ? undefined : "stateful";
}
