// The settings of a gateway and of its upstreams by name, for a configuration that a program builds. Generated like settings.ts:
// run `npm run config`.
import type { KnownOptions } from "@lethe/protocol";
import type {
  AdminSettings,
  AuthSettings,
  CardSettings,
  ClientCertificateSettings,
  ClientCredentialSettings,
  CredentialSettings,
  DirectSettings,
  EnterpriseManagedSettings,
  Exposure,
  GatewaySettings,
  IdentityProviderSettings,
  JwtSettings,
  KeySettings,
  LimitSettings,
  NameFilter,
  PendingCallSettings,
  PolicyRule,
  PostgresSettings,
  PrivateKeySettings,
  RedisSettings,
  RestartSettings,
  RootSettings,
  SessionSettings,
  ShutdownSettings,
  TaskSettings,
  TelemetrySettings,
  UpstreamPolicy,
} from "./settings.ts";

const knownKeySettings: KnownOptions<KeySettings> = {
  id: "a string",
  key: "a string",
  scopes: true,
};

const knownJwtSettings: KnownOptions<JwtSettings> = {
  issuer: "a string",
  jwksUrl: "a string",
  audience: true,
  algorithms: true,
  authorizationServers: true,
  scopesSupported: true,
  requiredScopes: true,
  scopeHierarchy: true,
  extensions: true,
};

const knownAuthSettings: KnownOptions<AuthSettings> = {
  keys: knownKeySettings,
  jwt: knownJwtSettings,
};

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

const knownRestartSettings: KnownOptions<RestartSettings> = {
  firstMs: true,
  maxMs: true,
  maxFailures: true,
};

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
  publicMetrics: true,
  exchanges: true,
  bodies: true,
};

const knownShutdownSettings: KnownOptions<ShutdownSettings> = {
  graceMs: true,
  delayMs: true,
};

const knownCardSettings: KnownOptions<CardSettings> = {
  name: true,
  title: true,
  description: true,
  websiteUrl: true,
};

const knownClientCertificateSettings: KnownOptions<ClientCertificateSettings> = {
  certFile: "a string",
  keyFile: "a string",
};

const knownDirectSettings: KnownOptions<DirectSettings> = {
  listen: "a string",
  address: true,
};

const knownRedisSettings: KnownOptions<RedisSettings> = {
  url: "a string",
  prefix: true,
  clientCertificate: knownClientCertificateSettings,
  address: true,
  direct: knownDirectSettings,
  allowEviction: true,
  leaseMs: true,
  commandTimeoutMs: true,
};

const knownPostgresSettings: KnownOptions<PostgresSettings> = {
  url: "a string",
  prefix: true,
  maxConnections: true,
  leaseMs: true,
  commandTimeoutMs: true,
};

const knownTelemetrySettings: KnownOptions<TelemetrySettings> = {
  endpoint: true,
  protocol: true,
  headers: true,
  signals: true,
  serviceName: true,
  attributes: true,
  sampleRatio: true,
  metricIntervalMs: true,
  timeoutMs: true,
  flushMs: true,
};

export const knownGatewaySettings: KnownOptions<GatewaySettings> = {
  host: true,
  port: true,
  publicUrl: true,
  allowedHosts: true,
  allowedOrigins: true,
  trustProxy: true,
  auth: knownAuthSettings,
  policy: knownPolicyRule,
  endpoints: true,
  limits: knownLimitSettings,
  pendingCalls: knownPendingCallSettings,
  restart: knownRestartSettings,
  tasks: knownTaskSettings,
  admin: knownAdminSettings,
  log: true,
  legacy: true,
  affinityHints: true,
  probe: true,
  shutdown: knownShutdownSettings,
  keepAliveMs: true,
  card: knownCardSettings,
  redis: knownRedisSettings,
  postgres: knownPostgresSettings,
  workers: true,
  telemetry: knownTelemetrySettings,
};

export const knownSessionSettings: KnownOptions<SessionSettings> = {
  max: true,
  maxPerCaller: true,
  maxShared: true,
  idleMs: true,
  lifetimeMs: true,
  waitMs: true,
  turnWaitMs: true,
  maxWaiting: true,
  onLoss: true,
};

const knownRootSettings: KnownOptions<RootSettings> = {
  uri: "a string",
  name: true,
};

const knownExposure: KnownOptions<Exposure> = {
  allow: true,
  deny: true,
  rename: true,
};

const knownNameFilter: KnownOptions<NameFilter> = {
  allow: true,
  deny: true,
};

const knownPrivateKeySettings: KnownOptions<PrivateKeySettings> = {
  key: true,
  file: true,
  algorithm: true,
  keyId: true,
};

const knownClientCredentialSettings: KnownOptions<ClientCredentialSettings> = {
  clientId: "a string",
  clientSecret: true,
  privateKey: knownPrivateKeySettings,
  issuer: true,
  scopes: true,
};

const knownIdentityProviderSettings: KnownOptions<IdentityProviderSettings> = {
  issuer: "a string",
  tokenEndpoint: true,
  clientId: "a string",
  clientSecret: true,
  privateKey: knownPrivateKeySettings,
};

const knownEnterpriseManagedSettings: KnownOptions<EnterpriseManagedSettings> = {
  clientId: "a string",
  clientSecret: true,
  privateKey: knownPrivateKeySettings,
  issuer: true,
  scopes: true,
  identityProvider: knownIdentityProviderSettings,
  idTokenFile: "a string",
};

const knownCredentialSettings: KnownOptions<CredentialSettings> = {
  headers: true,
  clientCredentials: knownClientCredentialSettings,
  enterpriseManaged: knownEnterpriseManagedSettings,
  callers: true,
  callerRequired: true,
};

export const knownUpstreamPolicy: KnownOptions<UpstreamPolicy> = {
  prefix: true,
  sharing: true,
  affinity: true,
  sessions: knownSessionSettings,
  start: true,
  elicits: true,
  rerun: true,
  roots: knownRootSettings,
  tools: knownExposure,
  prompts: knownExposure,
  resources: knownNameFilter,
  extensions: knownNameFilter,
  laterRevisions: true,
  clientInfo: true,
  startTimeoutMs: true,
  timeoutMs: true,
  era: true,
  credentials: knownCredentialSettings,
  tasks: true,
  required: true,
};
