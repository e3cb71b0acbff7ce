// Merges parsed configuration files into one configuration, or throws a ConfigError with all errors in all files.
import { resolve } from "node:path";
import { hideSecrets, longestFirst } from "@lethe/probe";
import { suggest } from "@lethe/protocol";
import { checkEndpoints } from "./check-endpoints.ts";
import { ConfigError } from "./config-error.ts";
import { readCredentialFiles } from "./credential-files.ts";
import { toNotes } from "./notes.ts";
import type { ReadConfig, ReadConfigOptions } from "./read-config.ts";
import { keyOf, type ReadContext, readValue, recordProblem } from "./read-value.ts";
import { type GatewayBlock, gatewayBlock } from "./schema/gateway.ts";
import type { CredentialSettings, GatewaySettings } from "./schema/settings.ts";
import { type FoundServer, hasServers, isOfServers, readInputs, readServers } from "./server-blocks.ts";
import { readSharedStore } from "./shared-store.ts";
import type { Path, SourceFile } from "./source-file.ts";
import type { FileUpstream } from "./upstream-config.ts";
import { expandVariables } from "./variables.ts";
import { findWorkerPortProblem } from "./worker-ports.ts";

/** The gateway block of one file. */
interface FoundBlock {
  readonly block: GatewayBlock;
  readonly context: ReadContext;
}

/** Throws ConfigError. */
export function toConfig(sources: readonly SourceFile[], options: ReadConfigOptions): ReadConfig {
  const problems: string[] = [];
  const notes: string[] = [];
  const secrets = new Set<string>();
  const paths = new Set(sources.map(({ name }) => resolve(name)));
  // Shorter secrets would mask unrelated text.
  const onSecret = (value: string) => void (value.length >= 6 && secrets.add(value));
  const parts = sources.map((file) => {
    const context = toContext(file, options, { onProblem: (problem) => void problems.push(problem), onSecret });
    const { gateway } = file.document;
    for (const { path, place } of file.repeated) {
      if (isOurs(path)) problems.push(`${place}: ${keyOf(path)} is set more than once; keep one of them`);
    }
    const found = readServers(context, {
      onNote: (note) => void notes.push(note),
      onSecret,
      onFile: (path) => void paths.add(path),
    });
    if (gateway === undefined && !hasServers(file.document)) {
      problems.push(`${file.name}: must have "mcpServers", or "servers" as in VS Code, got neither`);
    }
    const block = gateway === undefined ? undefined : readValue(gatewayBlock, gateway, ["gateway"], context);
    return { found, block: block && { block: withAbsoluteFiles(block, file.folder), context } };
  });
  const servers = mergeServers(
    parts.flatMap(({ found }) => found),
    problems,
  );
  const blocks = parts.flatMap(({ block }) => block ?? []);
  const settings = mergeSettings(blocks);
  problems.push(...readSharedStore(settings, options.environment, onSecret));
  const withDirect = blocks.find(({ block }) => block.redis?.direct);
  const workers = options.workers ?? settings.workers ?? 1;
  const problem = workers === 1 ? undefined : findWorkerPortProblem(settings);
  if (withDirect && problem !== undefined) {
    recordProblem(["gateway", "redis", "direct", "listen"], problem, withDirect.context);
  }
  applyUpstreamSettings(servers, blocks, (path) => void paths.add(path));
  for (const { block, context } of blocks) {
    const names = new Set([...servers.values()].flatMap(({ key, name }) => [key, name]));
    for (const { path, problem } of checkEndpoints(block.endpoints ?? {}, names)) {
      recordProblem(["gateway", "endpoints", ...path], problem, context);
    }
  }
  if (settings.endpoints) settings.endpoints = toEndpoints(settings.endpoints, [...servers.values()]);
  const upstreams = [...servers.values()].flatMap(({ upstream }) => upstream ?? []);
  if (problems.length === 0 && upstreams.length === 0) {
    problems.push(`${sources.map(({ name }) => name).join(", ")}: must name at least one server that is not disabled`);
  }
  if (problems.length > 0) {
    // A given value may be or contain a secret. The rest of a problem is fixed text.
    const known = longestFirst(secrets);
    const toShown = (quoted: string): string => hideSecrets(quoted, known);
    throw new ConfigError(problems.map((problem) => problem.replace(/"[^"]*"/g, toShown)));
  }
  const config = { upstreams, settings };
  return {
    config,
    notes: [...notes, ...toNotes(config, [...servers.values()], options.environment)],
    files: [...paths],
    secrets: [...secrets],
  };
}

/** Files of editors contain other settings, which are ignored. */
function isOurs(path: Path): boolean {
  return path[0] === "gateway" || isOfServers(path);
}

function toContext(
  file: SourceFile,
  { environment, inputs = {} }: ReadConfigOptions,
  { onProblem, onSecret }: Pick<ReadContext, "onProblem" | "onSecret">,
): ReadContext {
  const variables = {
    environment,
    given: inputs,
    declared: readInputs(file.document),
    workspaceFolder: file.folder,
    onSecret,
  };
  return { file, expand: (text) => expandVariables(text, variables), onProblem, onSecret };
}

/** By name, in the order of the files. */
function mergeServers(found: readonly FoundServer[], problems: string[]): Map<string, FoundServer> {
  const servers = new Map<string, FoundServer>();
  for (const server of found) {
    const known = servers.get(server.name);
    if (!known) servers.set(server.name, server);
    else if (JSON.stringify(known.upstream) !== JSON.stringify(server.upstream)) {
      const what = known.key === server.key ? "is another server than" : `would have the name ${server.name}, like`;
      problems.push(`${server.place} ${what} the one at ${known.place}; rename one of them`);
    }
  }
  return servers;
}

/** Paths in a file are relative to its folder. */
function withAbsoluteFiles(block: GatewayBlock, folder: string): GatewayBlock {
  const { redis } = block;
  if (!redis?.clientCertificate) return block;
  const { certFile, keyFile } = redis.clientCertificate;
  const clientCertificate = { certFile: resolve(folder, certFile), keyFile: resolve(folder, keyFile) };
  return { ...block, redis: { ...redis, clientCertificate } };
}

function mergeSettings(blocks: readonly FoundBlock[]): GatewaySettings {
  const merged: Record<string, unknown> = {};
  for (const { block, context } of blocks) {
    const { upstreams: _, ...settings } = block;
    for (const [member, value] of Object.entries(settings)) {
      if (member in merged && JSON.stringify(merged[member]) !== JSON.stringify(value)) {
        const problem = "is set in an earlier file as well, and not to the same; keep one of them";
        recordProblem(["gateway", member], problem, context);
      }
      merged[member] = value;
    }
  }
  return merged as GatewaySettings;
}

function applyUpstreamSettings(
  servers: Map<string, FoundServer>,
  blocks: readonly FoundBlock[],
  onFile: (path: string) => void,
): void {
  const byKey = new Map(
    [...servers.values()].flatMap((server) => [[server.key, server] as const, [server.name, server] as const]),
  );
  for (const { block, context } of blocks) {
    for (const [name, settings] of Object.entries(block.upstreams ?? {})) {
      const path = ["gateway", "upstreams", name];
      const server = byKey.get(name);
      if (!server) {
        const meant = suggest(name, byKey.keys());
        const problem = `is not a server in these files${meant ? `; did you mean "${meant}"?` : ""}`;
        recordProblem(path, problem, context);
      } else if (server.upstream) {
        const { tools, credentials } = settings;
        if (credentials && server.upstream.kind !== "http") {
          const other =
            server.upstream.kind === "stdio" ? "a local one its secrets by env" : "an HTTP API its own by auth";
          recordProblem([...path, "credentials"], `are for remote servers; give ${other}`, context);
        }
        const both = tools && { tools: { ...server.upstream.tools, ...tools } };
        const read = credentials && {
          credentials: readFilesOf(credentials, [...path, "credentials"], context, onFile),
        };
        server.upstream = { ...server.upstream, ...settings, ...both, ...read } as FileUpstream;
      }
    }
  }
}

function readFilesOf(
  credentials: CredentialSettings,
  path: Path,
  context: ReadContext,
  onFile: (path: string) => void,
): CredentialSettings {
  return readCredentialFiles(credentials, {
    folder: context.file.folder,
    onFile,
    onSecret: context.onSecret,
    onProblem: (at, problem) => recordProblem([...path, ...at], problem, context),
  });
}

type Endpoints = NonNullable<GatewaySettings["endpoints"]>;

/** With the names under which the servers are served, and without those that are disabled. */
function toEndpoints(endpoints: Endpoints, servers: readonly FoundServer[]): Endpoints {
  const on = servers.filter(({ upstream }) => upstream);
  const namesOf = (given: string) =>
    on.filter(({ key, name }) => key === given || name === given).map(({ name }) => name);
  return Object.fromEntries(
    Object.entries(endpoints).map(([name, endpoint]) => {
      return [name, { ...endpoint, upstreams: endpoint.upstreams.flatMap(namesOf) }];
    }),
  );
}
