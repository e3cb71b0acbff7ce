// The members of a gateway's configuration by name, for a configuration that a program builds.
import type { KnownOptions } from "@lethe/protocol";
import { knownGatewaySettings, knownUpstreamPolicy } from "./schema/known-settings.ts";
import type { GatewayConfig, UpstreamConfig } from "./upstream-config.ts";

export const knownUpstreamConfig: KnownOptions<UpstreamConfig> = {
  ...knownUpstreamPolicy,
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
  settings: knownGatewaySettings,
};
