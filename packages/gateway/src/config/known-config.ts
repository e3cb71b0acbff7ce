// The members of a gateway's configuration by name, for a configuration that a program builds. The schemas of the file name them.
import type { KnownOptions } from "@lethe/protocol";
import { gatewaySettings } from "./schema/gateway.ts";
import { toKnownMembers } from "./schema/known-members.ts";
import type { SessionSettings, UpstreamPolicy } from "./schema/settings.ts";
import { sessionSettings, upstreamPolicy } from "./schema/upstream.ts";
import type { GatewayConfig, UpstreamConfig } from "./upstream-config.ts";

export const knownSessionSettings: KnownOptions<SessionSettings> = toKnownMembers(
  sessionSettings,
) as KnownOptions<SessionSettings>;

export const knownUpstreamConfig: KnownOptions<UpstreamConfig> = {
  ...(toKnownMembers(upstreamPolicy) as KnownOptions<UpstreamPolicy>),
  kind: "a value",
  name: "a string",
  command: true,
  args: true,
  env: true,
  cwd: true,
  url: true,
  headers: true,
  transport: true,
  document: true,
  api: true,
  open: true,
};

export const knownGatewayConfig: KnownOptions<GatewayConfig> = {
  upstreams: knownUpstreamConfig,
  settings: toKnownMembers(gatewaySettings),
};
