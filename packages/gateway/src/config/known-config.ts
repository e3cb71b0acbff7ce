// The members of a gateway's configuration by name, for a configuration that a program builds.
import type { KnownOptions } from "@lethe/protocol";
import type { ClientCredentialSettings, CredentialGrant, CredentialSettings } from "./credential-settings.ts";
import type {
  AdminSettings,
  AuthSettings,
  CardSettings,
  GatewaySettings,
  JwtSettings,
  LimitSettings,
  PendingCallSettings,
  PolicyRule,
  RedisSettings,
  RestartSettings,
  ShutdownSettings,
  TaskSettings,
} from "./gateway-settings.ts";
import type {
  Exposure,
  GatewayConfig,
  SessionLimits,
  SessionSettings,
  UpstreamConfig,
  UpstreamPolicy,
} from "./upstream-config.ts";

const knownClientCredentialSettings: KnownOptions<ClientCredentialSettings> = {
  clientId: "a string",
  clientSecret: "a string",
  issuer: true,
  scopes: true,
};

const knownCredentialGrant: KnownOptions<CredentialGrant> = {
  headers: true,
  clientCredentials: knownClientCredentialSettings,
};

const knownCredentialSettings: KnownOptions<CredentialSettings> = {
  ...knownCredentialGrant,
  callers: true,
  isCallerRequired: true,
};

const knownJwtSettings: KnownOptions<JwtSettings> = {
  issuer: "a string",
  jwksUrl: "a string",
  audience: true,
  algorithms: true,
  authorizationServers: "an array",
  scopesSupported: true,
  requiredScopes: true,
  scopeHierarchy: true,
};

const knownAuthSettings: KnownOptions<AuthSettings> = { keys: true, jwt: knownJwtSettings };

const knownPolicyRule: KnownOptions<PolicyRule> = {
  effect: "a value",
  callers: true,
  scopes: true,
  methods: true,
  upstreams: true,
  tools: true,
  prompts: true,
  resources: true,
};

const knownLimitSettings: KnownOptions<LimitSettings> = {
  requestsPerMinute: true,
  maxReceivingRequests: true,
  maxReceivingPerCaller: true,
  maxReceivingPerAddress: true,
  maxConcurrentRequests: true,
  maxConcurrentPerCaller: true,
  maxConcurrentPerAddress: true,
  maxStreams: true,
  maxStreamsPerCaller: true,
  maxStreamsPerAddress: true,
  maxBodyBytes: true,
  bodyTimeoutMs: true,
  requestTimeoutMs: true,
  maxConnections: true,
  headerTimeoutMs: true,
  idleTimeoutMs: true,
  maxHeaderBytes: true,
  maxHeldBytes: true,
  maxWatchedPerCaller: true,
  maxTools: true,
  maxPrompts: true,
  maxResources: true,
  maxTemplates: true,
};

const knownPendingCallSettings: KnownOptions<PendingCallSettings> = {
  ttlMs: true,
  max: true,
  maxPerCaller: true,
};

const knownRestartSettings: KnownOptions<RestartSettings> = { firstMs: true, maxMs: true, maxFailures: true };

const knownTaskSettings: KnownOptions<TaskSettings> = {
  afterMs: true,
  ttlMs: true,
  max: true,
  maxPerCaller: true,
};

const knownAdminSettings: KnownOptions<AdminSettings> = {
  key: true,
  port: true,
  host: true,
  hasPublicMetrics: true,
  exchanges: true,
  keepsBodies: true,
};

const knownShutdownSettings: KnownOptions<ShutdownSettings> = { graceMs: true, delayMs: true };

const knownRedisSettings: KnownOptions<RedisSettings> = {
  url: "a string",
  prefix: true,
  address: true,
  allowEviction: true,
  leaseMs: true,
  commandTimeoutMs: true,
};

const knownCardSettings: KnownOptions<CardSettings> = {
  name: true,
  title: true,
  description: true,
  websiteUrl: true,
};

const knownGatewaySettings: KnownOptions<GatewaySettings> = {
  host: true,
  port: true,
  publicUrl: true,
  allowedHosts: true,
  allowedOrigins: true,
  trustProxy: true,
  auth: knownAuthSettings,
  policy: knownPolicyRule,
  limits: knownLimitSettings,
  tasks: knownTaskSettings,
  pendingCalls: knownPendingCallSettings,
  restart: knownRestartSettings,
  admin: knownAdminSettings,
  log: true,
  legacy: true,
  isProbing: true,
  shutdown: knownShutdownSettings,
  keepAliveMs: true,
  card: knownCardSettings,
  redis: knownRedisSettings,
};

const knownSessionLimits: KnownOptions<SessionLimits> = {
  max: true,
  maxPerCaller: true,
  maxShared: true,
  idleMs: true,
  lifetimeMs: true,
  waitMs: true,
  turnWaitMs: true,
  maxWaiting: true,
};

export const knownSessionSettings: KnownOptions<SessionSettings> = { ...knownSessionLimits, onLoss: true };

const knownExposure: KnownOptions<Exposure> = { allow: true, deny: true, rename: true };

const knownUpstreamPolicy: KnownOptions<UpstreamPolicy> = {
  prefix: true,
  sharing: true,
  affinity: true,
  sessions: knownSessionSettings,
  start: true,
  elicits: true,
  rerun: true,
  roots: true,
  tools: knownExposure,
  prompts: knownExposure,
  resources: { allow: true, deny: true },
  clientInfo: true,
  startTimeoutMs: true,
  timeoutMs: true,
  era: true,
  credentials: knownCredentialSettings,
  tasks: true,
  isRequired: true,
};

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
