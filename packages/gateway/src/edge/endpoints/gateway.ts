// The gateway: all upstreams of a configuration behind one stateless endpoint, and each one behind its own.
import { createMemoryAuthStore, type PendingCall, type PendingCallLimits, PendingCalls } from "@lethe/client";
import { createSeal, createSingleUse, type Servable } from "@lethe/server/edge";
import {
  createKeyRing,
  createLocalDirectory,
  createMemorySingleUseStore,
  keysFromEnvironment,
} from "@lethe/server/stores";
import type { LiveTask } from "../../calls/gateway-tasks.ts";
import type { GatewayPendingCalls, SessionHold } from "../../calls/pending-call.ts";
import { createRequestStateSeal } from "../../calls/request-state.ts";
import type { CatalogView } from "../../catalog/catalog-view.ts";
import type { ListLimits } from "../../catalog/list-limits.ts";
import { LiveCatalog } from "../../catalog/live-catalog.ts";
import type { GatewayConfig, UpstreamConfig } from "../../config/upstream-config.ts";
import { createResourceSubscriptions } from "../../subscriptions/resource-subscriptions.ts";
import { gatewayInfo } from "../../upstreams/connection/own-request.ts";
import type { UpstreamSessions } from "../../upstreams/sessions/upstream-sessions.ts";
import { createStartupWindow, type StartupWindow } from "../routing/startup-window.ts";
import { basePath, createEndpoint, type Endpoint } from "./endpoint.ts";
import type { GatewayOptions } from "./gateway-options.ts";
import { createTasks } from "./gateway-tasks.ts";
import { createUpstreamEntries, type UpstreamChanges, type UpstreamEntries } from "./upstream-entries.ts";
import { createUpstreamEntry, withoutUndefined } from "./upstream-entry.ts";

export interface Gateway {
  /** Returns the endpoint of a path: `/mcp` serves all upstreams, `/mcp/{name}` one of them. */
  endpointAt(path: string): Endpoint | undefined;
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
  reconfigure(upstreams: readonly UpstreamConfig[], options?: { graceMs?: number }): UpstreamChanges;
  /** Ends streams, connections and processes. */
  close(): Promise<void>;
}

/** For a gateway, which has many callers. */
const defaultPendingLimits: PendingCallLimits = { maxPending: 1_000, maxPendingPerCaller: 100 };
/** States of modern upstreams travel inside ours. */
const maxStateBytes = 256 * 1024;

export function createGateway(config: GatewayConfig, options: GatewayOptions = {}): Gateway {
  const { onProblem, mayRead, mayCall, directory = createLocalDirectory() } = options;
  const complaints = onProblem ? { onProblem } : {};
  // Shared by all upstreams, so that records survive a reload.
  const issuers = options.issuers ?? createMemoryAuthStore();
  const circuitBreaker = { ...options.circuitBreaker, ...config.settings?.restart };
  const entryOptions = { ...options, issuers, circuitBreaker };
  const pendingCalls = createPendingCalls(config, options);
  const catalog = new LiveCatalog({ ...complaints, limits: listLimitsOf(config) });
  const isProbing = config.settings?.isProbing !== false;
  const entries: UpstreamEntries = createUpstreamEntries({
    pendingCalls,
    create: (upstream) =>
      createUpstreamEntry(upstream, { ...shared, catalog, options: entryOptions, isProbing, entryOf: entries.entryOf }),
    onChange(active) {
      catalog.follow(
        active.flatMap(({ sources }) => sources),
        [merged.view, ...active.map(({ endpoint }) => endpoint.view)],
      );
    },
    read: (upstream) => catalog.read(upstream),
  });
  const sessionsOf = (name: string) => entries.upstreams.get(name);
  const limits = { ...subscriptionLimitsOf(config), ...options };
  const resourceSubscriptions = createResourceSubscriptions({ ...limits, currentOf: sessionsOf });
  const ring = createKeyRing(options.keys ?? keysFromEnvironment());
  const tasks = createTasks({
    ring,
    directory,
    bounds: taskLimitsOf(config),
    forwarder: () => merged.forwarder,
    sessionsOf,
    ...complaints,
    ...withoutUndefined({ maxFollowed: options.maxFollowed }),
  });
  const startup: StartupWindow = createStartupWindow(entries.begun, options.startupWaitMs ?? 4_000);
  const shared = {
    startup,
    seal: createRequestStateSeal(createSeal(ring, toSealOptions(pendingCalls.ttlMs))),
    singleUse: createSingleUse(options.singleUse ?? createMemorySingleUseStore()),
    directory,
    pendingCalls,
    resourceSubscriptions,
    tasks,
    currentOf: sessionsOf,
    retiredOf: entries.retiredOf,
    onListed: (names: readonly string[]) => catalog.touch(names),
    async untilRead(name: string) {
      await sessionsOf(name)?.ready();
      if (!catalog.catalogOf(name)) await catalog.read(name);
    },
    ...(mayRead && { mayRead }),
    ...(mayCall && { mayCall }),
  };
  const everything = { path: basePath, upstreams: entries.upstreams, isMerged: true };
  const merged: Endpoint = createEndpoint({ ...everything, ...complaints, ...shared });
  const { started, settled } = entries.reconfigure(config.upstreams);
  void startup.over.then(() => merged.view.tellProblems());
  const endpointAt = (path: string): Endpoint | undefined =>
    path === basePath ? merged : entries.entryOf(upstreamNameOf(path))?.endpoint;
  return {
    endpointAt,
    servableAt: (path) => endpointAt(path)?.servable,
    get upstreams() {
      return [...entries.upstreams.values()];
    },
    get retiring() {
      return entries.retiring;
    },
    catalog: merged.view,
    problemsOf: (upstream) => catalog.problemsOf(upstream),
    get pendingCalls() {
      return pendingCalls.list();
    },
    get tasks() {
      return tasks.own.live;
    },
    started,
    begun: startup.over,
    settled,
    reconfigure: entries.reconfigure,
    async close() {
      void merged.servable.close?.();
      entries.endStreams();
      catalog.close();
      resourceSubscriptions.close();
      pendingCalls.drop(() => true);
      await tasks.close();
      await entries.close();
    },
  };
}

function createPendingCalls({ settings }: GatewayConfig, options: GatewayOptions): GatewayPendingCalls {
  const { ttlMs: pendingTtlMs, max: maxPending, maxPerCaller: maxPendingPerCaller } = settings?.pendingCalls ?? {};
  return new PendingCalls({
    ...defaultPendingLimits,
    ...options,
    ...withoutUndefined({ pendingTtlMs, maxPending, maxPendingPerCaller }),
    whenFull: "fail-call",
  });
}

function toSealOptions(ttlMs: number) {
  return { server: gatewayInfo.name, ttlMs, maxBytes: maxStateBytes };
}

/** Returns "" for a path outside of the gateway's endpoints. */
function upstreamNameOf(path: string): string {
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length + 1) : "";
}

function subscriptionLimitsOf({ settings }: GatewayConfig) {
  const { maxWatchedPerCaller } = settings?.limits ?? {};
  return withoutUndefined({ maxWatchedPerCaller });
}

function listLimitsOf({ settings }: GatewayConfig): Partial<ListLimits> {
  const { maxTools, maxPrompts, maxResources, maxTemplates } = settings?.limits ?? {};
  return withoutUndefined({ maxTools, maxPrompts, maxResources, maxTemplates });
}

function taskLimitsOf({ settings }: GatewayConfig) {
  const { afterMs, ttlMs, max: maxTasks, maxPerCaller: maxTasksPerCaller } = settings?.tasks ?? {};
  return withoutUndefined({ afterMs, ttlMs, maxTasks, maxTasksPerCaller });
}
