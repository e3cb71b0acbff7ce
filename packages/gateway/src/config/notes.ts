// Notes about a valid configuration that the operator should know.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { hideSecrets } from "@lethe/probe";
import { hasCommand, isPath } from "./find-command.ts";
import { issuerSettingOf } from "./issuer-setting.ts";
import type { GatewaySettings } from "./schema/settings.ts";
import type { FoundServer } from "./server-blocks.ts";
import type { GatewayConfig, StdioUpstream, UpstreamConfig } from "./upstream-config.ts";
import type { Environment } from "./variables.ts";

export function toNotes(
  { upstreams, settings = {} }: GatewayConfig,
  servers: readonly FoundServer[],
  environment: Environment,
): string[] {
  const notes = servers
    .filter(({ key, name, upstream }) => upstream && key !== name)
    .map(({ key, name }) => `"${key}" is served under the name ${name}`);
  notes.push(...upstreams.flatMap((upstream) => toCommandNote(upstream, environment) ?? []));
  notes.push(...upstreams.flatMap(toIssuerNotes));
  const isOpen = settings.host !== undefined && !isLoopback(settings.host);
  if (isOpen && !settings.auth) {
    const servers = upstreams.length === 1 ? "the server" : `${upstreams.length} servers`;
    notes.push(
      `the gateway listens on ${settings.host} without gateway.auth: anyone who can connect may call every tool of ${servers}`,
    );
  }
  if (settings.auth && settings.publicUrl?.startsWith("http:") && !isLoopback(new URL(settings.publicUrl).hostname)) {
    notes.push(
      `gateway.publicUrl is not https: anyone on the network path can read the keys and tokens of all callers`,
    );
  }
  if (settings.policy && !settings.auth && settings.policy.some(({ callers, scopes }) => callers || scopes)) {
    notes.push("gateway.policy has rules for callers or scopes, but without gateway.auth callers have neither");
  }
  notes.push(...toNameNotes(settings, upstreams));
  if (settings.admin?.bodies) {
    notes.push("gateway.admin.bodies is on: params and results are kept in memory and shown to administrators");
  }
  return notes;
}

/** A rule has no effect if it names a tool or prompt as callers of the merged endpoint see it. */
function toNameNotes({ policy = [], endpoints = {} }: GatewaySettings, upstreams: readonly UpstreamConfig[]): string[] {
  const rules = [
    ...policy.map((rule, index) => [`gateway.policy[${index}]`, rule] as const),
    ...Object.entries(endpoints).flatMap(([name, endpoint]) =>
      (endpoint.policy ?? []).map((rule, index) => [`gateway.endpoints.${name}.policy[${index}]`, rule] as const),
    ),
  ];
  return rules.flatMap(([place, rule]) =>
    (["tools", "prompts"] as const).flatMap((kind) =>
      (rule[kind] ?? []).flatMap((pattern) => {
        const upstream = upstreams.find((one) => pattern.startsWith(publicPrefixOf(one)));
        if (!upstream) return [];
        const own = pattern.slice(publicPrefixOf(upstream).length);
        const remedy = `write "${own}", and "${upstream.name}" in upstreams`;
        return `${place}.${kind} has "${pattern}", but rules use the server's own names: ${remedy}`;
      }),
    ),
  );
}

/** No pattern starts with the prefix of an upstream without one. */
function publicPrefixOf({ name, prefix = name }: UpstreamConfig): string {
  return prefix === "" ? "\0" : `${prefix}__`;
}

function toIssuerNotes(upstream: UpstreamConfig): string[] {
  if (upstream.kind !== "http" || !upstream.credentials) return [];
  const { name, credentials } = upstream;
  const grants = [[undefined, credentials] as const, ...Object.entries(credentials.callers ?? {})];
  return grants.flatMap(([callerId, grant]) => {
    const settings = grant.clientCredentials ?? grant.enterpriseManaged;
    if (!settings || settings.issuer !== undefined) return [];
    const proof = settings.clientSecret === undefined ? "signed assertions" : "the client secret";
    const setting = issuerSettingOf(name, grant, callerId);
    return `${setting} is not set: the first authorization server that ${name} names gets ${proof}`;
  });
}

/** Returns the names of servers whose folder or program does not exist on this machine. */
export function findUnstartable({ upstreams }: GatewayConfig, environment: Environment): string[] {
  return upstreams
    .filter((upstream) => {
      if (upstream.kind !== "stdio") return false;
      return (upstream.cwd !== undefined && !existsSync(upstream.cwd)) || lacksCommand(upstream, environment);
    })
    .map(({ name }) => name);
}

/** Returns false if the folder or the PATH is unknown. */
function lacksCommand({ command, env, cwd = process.cwd() }: StdioUpstream, environment: Environment): boolean {
  const path = pathOf(env) ?? pathOf(environment);
  return path !== undefined && existsSync(cwd) && !hasCommand(command, { cwd, path });
}

/** Not an error: the gateway may run on another machine, or the program may be installed later. */
function toCommandNote(upstream: UpstreamConfig, environment: Environment): string | undefined {
  if (upstream.kind !== "stdio" || !lacksCommand(upstream, environment)) return undefined;
  const { name, command, args, cwd = process.cwd() } = upstream;
  const shown = hideSecrets(command);
  const missing = isPath(command) ? `program ${resolve(cwd, shown)}` : `command "${shown}" in its PATH`;
  const isLine = /\s/.test(command) && args.length === 0;
  const advice = isLine ? '; what follows its name belongs into "args"' : "";
  return `${name}: there is no ${missing}, so that it cannot be started on this machine${advice}`;
}

/** Windows accepts any letter case. */
function pathOf(environment: Environment): string | undefined {
  if (process.platform !== "win32") return environment.PATH;
  return Object.entries(environment).find(([name]) => name.toUpperCase() === "PATH")?.[1];
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || host.startsWith("127.");
}
