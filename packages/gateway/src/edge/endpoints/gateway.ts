// The gateway: all upstreams of a configuration behind one stateless endpoint, and each one behind its own.

import { createMemoryAuthStore } from "@lethe/client/auth";
import { type PendingCall, PendingCalls } from "@lethe/client/edge";
import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { createSeal, createSingleUse, type Servable } from "@lethe/server/edge";
import {
  createKeyRing,
  createLocalDirectory,
  createMemorySingleUseStore,
  keysFromEnvironment,
} from "@lethe/server/stores";
import type { LiveTask } from "../../calls/live-task.ts";
import { OperatorAnswers } from "../../calls/operator-answers.ts";
import type { GatewayPendingCalls, SessionHold } from "../../calls/pending-call.ts";
import { RequestHold } from "../../calls/request-hold.ts";
import { createRequestStateSeal } from "../../calls/request-state.ts";
import type { CatalogView } from "../../catalog/catalog-view.ts";
import { ExtensionCatalogs } from "../../catalog/extension-catalogs.ts";
import { LiveCatalog } from "../../catalog/live-catalog.ts";
import { checkEndpoints } from "../../config/check-endpoints.ts";
import { knownGatewayConfig, knownUpstreamConfig } from "../../config/known-config.ts";
import { replicaWaitMs } from "../../config/response-timing.ts";
import { defaultPendingCalls } from "../../config/schema/defaults.ts";
import type { GatewayConfig, UpstreamConfig } from "../../config/upstream-config.ts";
import { createResourceSubscriptions } from "../../subscriptions/resource-subscriptions.ts";
import { createTracing, type Tracing } from "../../tracing/tracing.ts";
import { gatewayInfo } from "../../upstreams/connection/own-request.ts";
import { RoomExchange } from "../../upstreams/directory/room-exchange.ts";
import { LostSessions } from "../../upstreams/sessions/lost-sessions.ts";
import { roomsOf } from "../../upstreams/sessions/session-room.ts";
import type { UpstreamSessions } from "../../upstreams/sessions/upstream-sessions.ts";
import { createPermissions } from "../policy/permissions.ts";
import type { Policy } from "../policy/policy.ts";
import { createStartupWindow } from "../routing/startup-window.ts";
import { listLimitsOf, subscriptionLimitsOf, taskLimitsOf } from "./configured-limits.ts";
import { basePath, createEndpoint, type Endpoint } from "./endpoint.ts";
import { type GatewayOptions, knownGatewayOptions } from "./gateway-options.ts";
import { createTasks } from "./gateway-tasks.ts";
import { type EndpointsByName, NamedEndpoints } from "./named-endpoints.ts";
import { createOperatorActions, type OperatorActions } from "./operator-actions.ts";
import { createUpstreamEntries, type UpstreamChanges } from "./upstream-entries.ts";
import { createUpstreamEntry, withoutUndefined } from "./upstream-entry.ts";
import { UpstreamTable } from "./upstream-table.ts";

/** Options of `reconfigure`. */
export interface ReconfigureOptions {
  /** How long running calls to a removed upstream may take, in ms. Default 30,000. */
  readonly graceMs?: number;
  /** The named endpoints. Default: they stay as they are. */
  readonly endpoints?: EndpointsByName;
}

/** A gateway: endpoints over upstreams, without a listener. `serveGateway` adds one. */
export interface Gateway {
  /**
   * Returns the endpoint of a path: `/mcp` serves all upstreams, `/mcp/{name}` one of them, or those of a named endpoint. It applies no
   * policy.
   */
  endpointAt(path: string): Endpoint | undefined;
  /**
   * Returns what to serve at a path: its endpoint, behind authentication, policies and limits per caller of the settings. Undefined for a
   * path without an endpoint; if callers must authenticate, only for paths that cannot be the name of an upstream. Clients in the same
   * process are anonymous, because only HTTP requests authenticate.
   */
  servableAt(path: string): Servable | undefined;
  /** The upstreams, in the order of the lists. */
  readonly upstreams: readonly UpstreamSessions[];
  /** Upstreams of earlier configurations that still finish calls. */
  readonly retiring: readonly UpstreamSessions[];
  /** The merged lists of all upstreams. */
  readonly catalog: CatalogView;
  /** Returns why the lists of an upstream are outdated or incomplete. */
  problemsOf(upstream: string): readonly string[];
  /** The calls that wait for a response of their caller, the oldest first. */
  readonly pendingCalls: readonly PendingCall<SessionHold>[];
  /** The running tasks that the gateway itself created, the oldest first. */
  readonly tasks: readonly LiveTask[];
  /** Resolves when every upstream has been started and read, or has failed, once. */
  readonly started: Promise<void>;
  /** Resolves with `started`, but after `startupWaitMs` at the latest. Then lists no longer wait for a first start. */
  readonly begun: Promise<void>;
  /** Resolves when every upstream has also been probed. */
  readonly settled: Promise<void>;
  /**
   * Changes only upstreams whose configuration differs. Running calls to a removed upstream have `graceMs` to finish, 30,000
   * by default. Calls and tasks of a changed upstream continue until they end or reach their time limits.
   */
  reconfigure(upstreams: readonly UpstreamConfig[], options?: ReconfigureOptions): UpstreamChanges;
  /** What an operator does with pending calls and tasks. */
  readonly operator: OperatorActions;
  /** The number of requests for an upstream that could not start yet and wait. */
  heldCount(upstream: string): number;
  /** The number of resources to which the caller with most subscribes. */
  readonly watched: { readonly mostOfCaller: number };
  /** What is known about the room of other replicas for new sessions. Undefined where they do not tell it. */
  readonly rooms: Pick<RoomExchange, "counts" | "replicasWithRoom"> | undefined;
  /** This replica is stopping: sessions open at other replicas that have room from now on. */
  drain(): void;
  /**
   * Prepares other replicas to take over: fails held requests with a retryable error, so that a load balancer sends them
   * elsewhere, and gives up the leases of sessions without state. Resolves when it has given them up.
   */
  handOver(): Promise<void>;
  /** Ends streams, connections and processes. */
  close(): Promise<void>;
}

const knownChanges: KnownOptions<{ upstreams: readonly UpstreamConfig[] } & ReconfigureOptions> = {
  upstreams: knownUpstreamConfig,
  endpoints: true,
  graceMs: true,
};

/** States of modern upstreams travel inside ours. */
const maxStateBytes = 256 * 1024;

/** What stands between callers and the endpoints. */
export interface GatewayAccess {
  /** The policy that applies now. It replaces that of the settings. */
  policyOf(): Policy | undefined;
  /** Returns `servableAt` of the gateway. */
  serve(parts: { endpointAt(path: string): Endpoint | undefined; tracing: Tracing | undefined }): Gateway["servableAt"];
}

/** Throws an Error that names an unknown or missing option or setting. */
export function createGatewayBehind(access: GatewayAccess, config: GatewayConfig, options: GatewayOptions): Gateway {
  checkOptions("createGateway", options, knownGatewayOptions);
  checkOptions("createGateway: config", config, knownGatewayConfig);
  requireEndpoints("createGateway: config", config.settings?.endpoints ?? {}, config.upstreams);
  const { onProblem } = options;
  const table = new UpstreamTable();
  const limits = listLimitsOf(config);
  const catalog: LiveCatalog = new LiveCatalog({
    ...(onProblem && { onProblem }),
    limits,
    onRead: ({ name, legacyEraOf }) => legacyEraOf === undefined && extensionCatalogs.refresh(name),
  });
  const extensionCatalogs = new ExtensionCatalogs({ base: catalog, limits, ...(onProblem && { onProblem }) });
  const parts = createEndpointParts(config, options, { table, catalog, policyOf: access.policyOf });
  const { pendingCalls, resourceSubscriptions, tasks, startup, hold, lost, rooms } = parts;
  const everything = { path: basePath, upstreams: table.upstreams, isMerged: true };
  const merged = createEndpoint({ ...everything, ...(onProblem && { onProblem }), ...parts, extensionCatalogs });
  tasks.own.resumeThrough(merged.forwarder);
  const named = new NamedEndpoints({ ...parts, extensionCatalogs }, config.settings?.endpoints ?? {});
  const entryOptions = {
    ...parts,
    ...{ catalog, extensionCatalogs },
    options: toEntryOptions(config, options),
    isProbing: config.settings?.probe !== false,
    entryOf: (name: string) => table.entryOf(name),
  };
  const entries = createUpstreamEntries({
    ...{ table, pendingCalls },
    create: (upstream) => createUpstreamEntry(upstream, entryOptions),
    onChange(active) {
      const sources = active.flatMap((entry) => entry.sources);
      named.update(table.upstreams);
      const views = [merged, ...named.all, ...active.map(({ endpoint }) => endpoint)].map((endpoint) => endpoint.views);
      catalog.follow(
        sources,
        views.map(({ view }) => view),
      );
      extensionCatalogs.follow(sources, views);
    },
    read: (upstream) => catalog.read(upstream),
  });
  const { started, settled } = entries.reconfigure(config.upstreams);
  void startup.over.then(() => merged.view.tellProblems());
  const endpointAt = (path: string): Endpoint | undefined =>
    path === basePath ? merged : (table.entryOf(nameOf(path))?.endpoint ?? named.at(nameOf(path)));
  return {
    endpointAt,
    servableAt: access.serve({ endpointAt, tracing: parts.tracing }),
    get upstreams() {
      return [...table.upstreams.values()];
    },
    get retiring() {
      return [...table.retiring.keys()];
    },
    ...{ catalog: merged.view, watched: resourceSubscriptions, rooms },
    problemsOf: (upstream) => catalog.problemsOf(upstream),
    get pendingCalls() {
      return pendingCalls.list();
    },
    get tasks() {
      return tasks.own.live;
    },
    operator: createOperatorActions(parts.operatorAnswers, tasks.own),
    ...{ started, begun: startup.over, settled },
    reconfigure(upstreams, changes = {}) {
      checkOptions("reconfigure", { upstreams, ...changes }, knownChanges);
      const { endpoints, ...times } = changes;
      if (endpoints) requireEndpoints("reconfigure", endpoints, upstreams);
      if (endpoints) named.plan(endpoints);
      return entries.reconfigure(upstreams, times);
    },
    heldCount: (upstream) => hold.countOf(upstream),
    drain: () => rooms?.drain(),
    async handOver() {
      hold.stop();
      await Promise.all([...table.upstreams.values()].map((sessions) => sessions.handOver()));
    },
    async close() {
      hold.stop();
      rooms?.close();
      void merged.servable.close?.();
      named.endStreams();
      entries.endStreams();
      catalog.close();
      extensionCatalogs.close();
      resourceSubscriptions.close();
      pendingCalls.drop(() => true);
      await tasks.close();
      await entries.close();
      lost.close();
    },
  };
}

/** Throws an Error that names the first endpoint that does not fit the upstreams. */
function requireEndpoints(place: string, endpoints: EndpointsByName, upstreams: readonly UpstreamConfig[]): void {
  const [first] = checkEndpoints(endpoints, new Set(upstreams.map(({ name }) => name)));
  if (first) throw new Error(`${place}: endpoint ${JSON.stringify(first.path.join("."))} ${first.problem}`);
}

/** The services that all endpoints share. */
function createEndpointParts(
  config: GatewayConfig,
  options: GatewayOptions,
  { table, catalog, policyOf }: { table: UpstreamTable; catalog: LiveCatalog; policyOf: () => Policy | undefined },
) {
  const { onProblem, directory = createLocalDirectory() } = options;
  const { self, placement } = directory;
  const pendingCalls = createPendingCalls(config, options);
  const operatorAnswers = new OperatorAnswers(pendingCalls);
  const sessionsOf = (name: string) => table.sessionsOf(name);
  const { telemetryApi } = options;
  const ring = createKeyRing(options.keys ?? keysFromEnvironment());
  return {
    hold: new RequestHold(
      withoutUndefined({
        isCutOff: options.isCutOff,
        replicaWaitMs: replicaWaitMs(config.settings?.keepAliveMs),
      }),
    ),
    startup: createStartupWindow(table.begun, options.startupWaitMs ?? 4_000),
    seal: createRequestStateSeal(createSeal(ring, toSealOptions(pendingCalls.ttlMs))),
    singleUse: createSingleUse(options.singleUse ?? createMemorySingleUseStore()),
    directory,
    lost: new LostSessions({ directory }),
    rooms: placement && new RoomExchange({ placement, self, read: () => roomsOf(table.upstreams.values()) }),
    ...{ pendingCalls, operatorAnswers },
    tracing: telemetryApi && createTracing(telemetryApi),
    resourceSubscriptions: createResourceSubscriptions({
      ...subscriptionLimitsOf(config),
      ...options,
      currentOf: sessionsOf,
    }),
    tasks: createTasks({
      ...{ ring, directory, sessionsOf },
      bounds: taskLimitsOf(config),
      ...(onProblem && { onProblem }),
      ...withoutUndefined({ maxFollowed: options.maxFollowed, records: options.taskRecords }),
    }),
    currentOf: sessionsOf,
    retiredOf: (name: string) => table.retiredOf(name),
    onListed: (names: readonly string[]) => catalog.touch(names),
    onOutdated: (name: string) => catalog.outdate(name),
    async untilRead(name: string) {
      await sessionsOf(name)?.ready();
      if (!catalog.catalogOf(name)) await catalog.read(name);
    },
    ...createPermissions(policyOf, options),
  };
}

/** The record of issuers is shared by all upstreams, so that it survives a reload. */
function toEntryOptions(config: GatewayConfig, options: GatewayOptions): GatewayOptions {
  const issuers = options.issuers ?? createMemoryAuthStore();
  return { ...options, issuers, circuitBreaker: { ...options.circuitBreaker, ...config.settings?.restart } };
}

function createPendingCalls({ settings }: GatewayConfig, options: GatewayOptions): GatewayPendingCalls {
  const { pendingTtlMs, maxPending, maxPendingPerCaller } = options;
  const { ttlMs, max, maxPerCaller } = settings?.pendingCalls ?? {};
  return new PendingCalls({
    pendingTtlMs: ttlMs ?? pendingTtlMs ?? defaultPendingCalls.ttlMs,
    maxPending: max ?? maxPending ?? defaultPendingCalls.max,
    maxPendingPerCaller: maxPerCaller ?? maxPendingPerCaller ?? defaultPendingCalls.maxPerCaller,
    whenFull: "fail-call",
  });
}

function toSealOptions(ttlMs: number) {
  return { server: gatewayInfo.name, ttlMs, maxBytes: maxStateBytes };
}

/** Returns "" for a path outside of the gateway's endpoints. */
function nameOf(path: string): string {
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length + 1) : "";
}
