// What an operator should know about a configuration in which nothing is wrong.
import type { FoundServer } from "./server-blocks.ts";
import type { GatewayConfig } from "./upstream-config.ts";

export function toNotes({ upstreams, settings = {} }: GatewayConfig, servers: readonly FoundServer[]): string[] {
  const notes = servers
    .filter(({ key, name, upstream }) => upstream && key !== name)
    .map(({ key, name }) => `"${key}" is served under the name ${name}`);
  const isOpen = settings.host !== undefined && !isLoopback(settings.host);
  if (isOpen && !settings.auth) {
    notes.push(
      `the gateway listens on ${settings.host} without gateway.auth: whoever reaches it may call every tool of ${upstreams.length} server(s)`,
    );
  }
  if (settings.auth && settings.publicUrl?.startsWith("http:") && !isLoopback(new URL(settings.publicUrl).hostname)) {
    notes.push(`gateway.publicUrl is not https: whoever is in between reads the keys and tokens of all callers`);
  }
  if (settings.policy && !settings.auth && settings.policy.some(({ callers, scopes }) => callers || scopes)) {
    notes.push("gateway.policy has rules for callers or scopes, and without gateway.auth nobody has a name or a scope");
  }
  if (settings.admin?.keepsBodies) {
    notes.push("gateway.admin.bodies is on: what callers send and get is kept in memory and shown to administrators");
  }
  return notes;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || host.startsWith("127.");
}
