// The `gateway` block, which desktop clients do not have. Unknown keys are errors, because a misspelt rule would not apply.
import { isIP } from "node:net";
import { authSettings, policyRule } from "./auth.ts";
import { defaultAddress } from "./defaults.ts";
import { limitSettings, pendingCallSettings, restartSettings, shutdownSettings, taskSettings } from "./limits.ts";
import { logFormats } from "./log-format.ts";
import { adminSettings, cardSettings, port, postgresSettings, redisSettings } from "./operation.ts";
import type { EndpointSettings, GatewaySettings, UpstreamPolicy } from "./settings.ts";
import { telemetrySettings } from "./telemetry.ts";
import { nameFilter, upstreamPolicy } from "./upstream.ts";
import {
  choice,
  flag,
  list,
  named,
  optional,
  quoted,
  required,
  section,
  text,
  texts,
  url,
  type Value,
  whole,
  wholeOr,
} from "./values.ts";

/** The gateway block of a file: its settings, and those of upstreams by name. */
export interface GatewayBlock extends GatewaySettings {
  upstreams?: Readonly<Record<string, UpstreamPolicy>>;
}

const proxy = text.refine(isAddressBlock, quoted("must be an IP address or a CIDR block such as 10.0.0.0/8"));

const endpointSettings: Value<EndpointSettings> = section({
  upstreams: required(
    texts.min(1, { error: "must name at least one server" }),
    "The servers of the endpoint, by their names in the file. Their order follows the file.",
    { examples: [["github", "files"]] },
  ),
  tools: optional(
    nameFilter,
    "The offered tools, by the upstream's own names, among those that each upstream offers. Default: all of these.",
  ),
  policy: optional(
    list(policyRule),
    "Access rules of the endpoint; the first one that matches decides. They apply in addition to `gateway.policy`: both must allow a request.",
    { examples: [[{ effect: "allow", callers: ["key sales"] }]] },
  ),
}).meta({ id: "EndpointSettings", description: "An endpoint over some of the upstreams." });

const workerCount: Value<number | "auto"> = wholeOr(whole(1, 256), "auto");

const shape = {
  host: optional(text, "The address to listen on. By default only this machine can reach it.", {
    default: defaultAddress.host,
  }),
  port: optional(port, "The port to listen on. 0 takes a free port.", { default: defaultAddress.port }),
  publicUrl: optional(
    url,
    "The public URL of the merged endpoint. Tokens are issued for it, and the server card contains it.",
    { examples: ["https://mcp.example.com/mcp"] },
  ),
  allowedHosts: optional(
    texts,
    "The values that `Host` may have, in addition to `localhost`, `127.0.0.1` and `[::1]`. Default: see `HttpOptions` of @lethe/server.",
    { examples: [["mcp.example.com"]] },
  ),
  allowedOrigins: optional(
    texts,
    "The origins of web pages that may send requests. Default: see `HttpOptions` of @lethe/server.",
    { examples: [["https://app.example.com"]] },
  ),
  trustProxy: optional(
    list(proxy, "strings"),
    "IP addresses and CIDR blocks of reverse proxies whose `X-Forwarded-For` gives the client address. Default: none.",
    { examples: [["10.0.0.0/8"]] },
  ),
  auth: optional(authSettings, "How callers authenticate. Absent: no authentication."),
  policy: optional(
    list(policyRule),
    "Access rules; the first one that matches decides. Absent: every caller may use everything. Otherwise a request that no rule allows is denied.",
    { examples: [[{ effect: "allow", callers: ["key ci"], tools: ["get_*"] }]] },
  ),
  endpoints: optional(
    named(endpointSettings),
    "Merged endpoints over some of the upstreams, by name: each is at `/mcp/NAME`. Default: none.",
    { examples: [{ sales: { upstreams: ["github", "files"] } }] },
  ),
  limits: optional(limitSettings, "Limits of requests, streams, connections and lists."),
  pendingCalls: optional(pendingCallSettings, "Limits of calls that wait for the input of their caller."),
  restart: optional(restartSettings, "Pauses before an upstream that failed starts again."),
  tasks: optional(taskSettings, "Limits of tasks that the gateway creates from calls."),
  admin: optional(adminSettings, "The administration interface."),
  log: optional(
    choice(...logFormats),
    'The format in which `lethe gateway` writes its log: "text" for people, "json" for programs. Default: readable lines for a terminal.',
    { examples: ["json"] },
  ),
  legacy: optional(
    choice("sealed", "none", "off"),
    "How clients of older revisions are served. sealed: with sessions that any replica can continue. none: without sessions. off: not at all.",
    { default: "sealed" },
  ),
  affinityHints: optional(
    choice("header", "cookie", "none"),
    "Whether responses contain an opaque value per caller on which load balancers can hash. header: as the header Lethe-Affinity. cookie: also as the cookie lethe_affinity. none: not at all. Default: header if replicas share a store, else none.",
    { examples: ["cookie"] },
  ),
  probe: optional(flag, "Whether remote upstreams are probed. If false, only their connections show what they are.", {
    default: true,
  }),
  shutdown: optional(shutdownSettings, "Times of a graceful shutdown."),
  keepAliveMs: optional(
    whole(100, 600_000),
    "The interval of bytes on a slow response, in ms. It starts after 1.6 times this, with status 200. A request that waits for another replica gets 503 before that. Absent: a response starts when its result is known, and open streams get a comment every 15 s.",
    { examples: [1_000] },
  ),
  card: optional(cardSettings, "The server card, which describes the gateway to clients."),
  redis: optional(redisSettings, "The store that replicas share. Absent: no replicas, or `postgres`."),
  postgres: optional(postgresSettings, "The store that replicas share, instead of `redis`."),
  workers: optional(
    workerCount,
    'How many processes share the port, from 1 to 256, or "auto" for one per core. `lethe gateway --workers` overrides it.',
    { default: 1, examples: ["auto"] },
  ),
  telemetry: optional(
    telemetrySettings,
    "Export of traces, metrics and logs over OTLP. Absent: as the variables of OpenTelemetry say, by default not at all.",
  ),
};

export const gatewayBlock: Value<GatewayBlock> = section({
  ...shape,
  upstreams: optional(named(upstreamPolicy), "Settings of single servers, by their names in the file.", {
    examples: [{ github: { prefix: "gh" } }],
  }),
})
  .superRefine(({ auth, publicUrl }, context) => {
    if (!auth?.jwt || publicUrl !== undefined) return;
    const message = "needs gateway.publicUrl: the URL of the endpoint, which tokens are issued for";
    context.addIssue({ code: "custom", path: ["auth", "jwt"], message });
  })
  .meta({ id: "GatewayBlock", description: "Settings of the gateway. All of them are optional." });

function isAddressBlock(given: string): boolean {
  const [address = "", prefix = "0", ...rest] = given.split("/");
  const version = isIP(address);
  return version > 0 && rest.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128);
}
