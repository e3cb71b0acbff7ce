import { expect, it } from "vitest";
import { findPortConflict } from "./port-conflict.ts";
import type { GatewaySettings } from "./schema/settings.ts";

const direct = (listen: string): GatewaySettings => ({ redis: { url: "redis://h", direct: { listen } } });

it.each<[string, GatewaySettings, string]>([
  [
    "direct connections at the default port of the gateway",
    direct("127.0.0.1:3000"),
    'gateway.redis.direct.listen must have another port than the gateway, which listens on 127.0.0.1:3000, got "127.0.0.1:3000"',
  ],
  [
    "direct connections at all addresses and the port of the administration",
    { port: 1, admin: { port: 7411 }, ...direct("0.0.0.0:7411") },
    'gateway.redis.direct.listen must have another port than gateway.admin, which listens on 127.0.0.1:7411, got "0.0.0.0:7411"',
  ],
  [
    "an administration at the port of a gateway that listens on all addresses",
    { host: "::", port: 80, admin: { port: 80, host: "10.0.0.1" } },
    "gateway.admin.port must have another port than the gateway, which listens on [::]:80, got 80",
  ],
])("finds %s", (_, settings, problem) => {
  expect(findPortConflict(settings)).toBe(problem);
});

it.each<[string, GatewaySettings]>([
  ["no settings", {}],
  ["free ports", { port: 0, admin: { port: 0 }, ...direct("127.0.0.1:0") }],
  ["the same port of two addresses", { host: "127.0.0.1", port: 80, admin: { host: "10.0.0.1", port: 80 } }],
  ["an IPv6 address beside all of IPv4", { host: "0.0.0.0", port: 80, admin: { host: "::1", port: 80 } }],
])("finds no conflict in %s", (_, settings) => {
  expect(findPortConflict(settings)).toBeUndefined();
});
