// Reads the `gateway` block, which desktop clients do not have. Unknown keys are errors, because a misspelt rule would not
// apply.
import { isIP } from "node:net";
import { readAuth } from "./auth-block.ts";
import {
  type AdminSettings,
  type CardSettings,
  type GatewaySettings,
  type LimitSettings,
  legacyModes,
  logFormats,
  type PendingCallSettings,
  type PolicyRule,
  type RestartSettings,
  type ShutdownSettings,
  type TaskSettings,
} from "./gateway-settings.ts";
import { present } from "./present.ts";
import { readNumbers } from "./read-numbers.ts";
import { readRedis } from "./redis-block.ts";
import type { Section } from "./section.ts";
import { readUpstreamPolicy } from "./upstream-block.ts";
import type { UpstreamPolicy } from "./upstream-config.ts";

export interface GatewayBlock {
  settings: GatewaySettings;
  section: Section;
  /** By the key in the block, with its position. */
  upstreams: Map<string, { settings: UpstreamPolicy; section: Section }>;
}

const leastLimits = {
  requestsPerMinute: 1,
  maxReceivingRequests: 1,
  maxReceivingPerCaller: 1,
  maxReceivingPerAddress: 1,
  maxConcurrentRequests: 1,
  maxConcurrentPerCaller: 1,
  maxConcurrentPerAddress: 1,
  maxStreams: 1,
  maxStreamsPerCaller: 1,
  maxStreamsPerAddress: 1,
  maxBodyBytes: 1,
  bodyTimeoutMs: 1,
  requestTimeoutMs: 0,
  maxConnections: 1,
  headerTimeoutMs: 1,
  idleTimeoutMs: 1,
  maxHeaderBytes: 1_024,
  maxHeldBytes: 1_048_576,
  maxWatchedPerCaller: 1,
  maxTools: 1,
  maxPrompts: 1,
  maxResources: 1,
  maxTemplates: 1,
};

export function readGatewayBlock(block: Section, onSecret: (value: string) => void): GatewayBlock {
  const settings = present<GatewaySettings>({
    host: block.text("host"),
    port: block.whole("port", 0, 65_535),
    publicUrl: block.url("publicUrl"),
    allowedHosts: block.texts("allowedHosts"),
    allowedOrigins: block.texts("allowedOrigins"),
    trustProxy: readProxies(block),
    auth: readAuth(block.section("auth"), onSecret),
    policy: block.sections("policy")?.map(readRule),
    limits: readNumbers<LimitSettings>(block.section("limits"), leastLimits),
    pendingCalls: readNumbers<PendingCallSettings>(block.section("pendingCalls"), {
      ttlMs: 1,
      max: 1,
      maxPerCaller: 1,
    }),
    restart: readNumbers<RestartSettings>(block.section("restart"), { firstMs: 1, maxMs: 1, maxFailures: 1 }),
    tasks: readNumbers<TaskSettings>(block.section("tasks"), { afterMs: 0, ttlMs: 1, max: 1, maxPerCaller: 1 }),
    admin: readAdmin(block.section("admin"), onSecret),
    log: block.choice("log", logFormats),
    legacy: block.choice("legacy", legacyModes),
    isProbing: block.flag("probe"),
    shutdown: readNumbers<ShutdownSettings>(block.section("shutdown"), { graceMs: 0, delayMs: 0 }),
    keepAliveMs: block.whole("keepAliveMs", 100, 600_000),
    card: readCard(block.section("card")),
    redis: readRedis(block.section("redis"), onSecret),
  });
  const upstreams = new Map<string, { settings: UpstreamPolicy; section: Section }>();
  for (const [name, section] of block.namedSections("upstreams") ?? []) {
    upstreams.set(name, { settings: readUpstreamPolicy(section, onSecret), section });
  }
  if (settings.auth?.jwt && !settings.publicUrl) {
    block.fail(["auth", "jwt"], "needs gateway.publicUrl: the URL of the endpoint, which tokens are issued for");
  }
  block.rejectOthers();
  return { settings, section: block, upstreams };
}

function readProxies(block: Section): readonly string[] | undefined {
  const proxies = block.texts("trustProxy");
  for (const [index, proxy] of (proxies ?? []).entries()) {
    if (isAddressBlock(proxy)) continue;
    block.fail(["trustProxy", index], `must be an IP address or a CIDR block such as 10.0.0.0/8, got "${proxy}"`);
  }
  return proxies;
}

function isAddressBlock(text: string): boolean {
  const [address = "", prefix = "0", ...rest] = text.split("/");
  const version = isIP(address);
  return version > 0 && rest.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128);
}

function readRule(section: Section): PolicyRule {
  if (!section.has("effect")) section.fail("effect", 'must be "allow" or "deny", got nothing');
  const rule = present<PolicyRule>({
    effect: section.choice("effect", ["allow", "deny"]) ?? "deny",
    callers: section.texts("callers"),
    scopes: section.texts("scopes"),
    methods: section.texts("methods"),
    upstreams: section.texts("upstreams"),
    tools: section.texts("tools"),
    prompts: section.texts("prompts"),
    resources: section.texts("resources"),
  });
  section.rejectOthers();
  return rule;
}

function readAdmin(section: Section | undefined, onSecret: (value: string) => void): AdminSettings | undefined {
  if (!section) return undefined;
  const admin = present<AdminSettings>({
    key: section.text("key"),
    port: section.whole("port", 0, 65_535),
    host: section.text("host"),
    hasPublicMetrics: section.flag("publicMetrics"),
    exchanges: section.whole("exchanges", 0, 100_000),
    keepsBodies: section.flag("bodies"),
  });
  if (admin.key !== undefined) {
    onSecret(admin.key);
    if (admin.key.length < 16) section.fail("key", `must have at least 16 characters, got ${admin.key.length}`);
  }
  if (admin.host !== undefined && admin.port === undefined) section.fail("host", "needs a port of its own beside it");
  section.rejectOthers();
  return admin;
}

const cardName = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/;

function readCard(section: Section | undefined): CardSettings | undefined {
  if (!section) return undefined;
  const card = present<CardSettings>({
    name: section.text("name"),
    title: section.text("title"),
    description: section.text("description"),
    websiteUrl: section.url("websiteUrl"),
  });
  if (card.name !== undefined && !cardName.test(card.name)) {
    section.fail("name", `must be a reversed domain and a name, such as com.example/tools, got "${card.name}"`);
  }
  for (const member of ["title", "description"] as const) {
    const { length } = card[member] ?? "";
    if (length > 100) section.fail(member, `must have at most 100 characters, got ${length}`);
  }
  section.rejectOthers();
  return card;
}
