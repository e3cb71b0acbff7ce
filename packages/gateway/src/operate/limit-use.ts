// The limits of a running gateway with their current use, for the administration.
import { processMemory } from "@lethe/protocol";
import type { ServingLoad } from "@lethe/server/node";
import {
  defaultLimits,
  defaultListLimits,
  defaultPendingCalls,
  defaultRestart,
  defaultSessions,
  defaultTasks,
} from "../config/schema/defaults.ts";
import type { GatewaySettings } from "../config/schema/settings.ts";
import type { CallerUse } from "../edge/caller-limits.ts";
import type { Gateway } from "../edge/endpoints/gateway.ts";
import { bothErasOf } from "../upstreams/sessions/legacy-era.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";
import type { LimitUse } from "./admin/api/health.ts";

/** Limits of upstreams that are listed: those that are used most. */
const maxListed = 100;

/** What the listener of the gateway has open. */
export interface OpenWork {
  readonly connections: number;
  readonly load: ServingLoad;
}

export interface LimitedParts {
  readonly gateway: Pick<Gateway, "upstreams" | "pendingCalls" | "heldCount" | "tasks" | "watched">;
  readonly settings: GatewaySettings;
  readonly open: OpenWork;
  /** Undefined if callers do not authenticate: limits per caller then do not apply. */
  readonly callers: CallerUse | undefined;
  /** The numbers of items in the lists of an upstream. */
  offerOf(upstream: string): Readonly<Record<"tools" | "prompts" | "resources" | "templates", number>>;
}

export function toLimitUse(parts: LimitedParts): LimitUse[] {
  const ofUpstreams = parts.gateway.upstreams.flatMap((main) => toUpstreamLimits(main, parts));
  const partOf = ({ used, limit }: LimitUse) => used / Math.max(1, limit);
  const fullest = ofUpstreams.sort((one, other) => partOf(other) - partOf(one)).slice(0, maxListed);
  return [...toSharedLimits(parts), ...(parts.callers ? toCallerLimits(parts, parts.callers) : []), ...fullest];
}

type Row = readonly [name: string, what: string, limit: number, used: number];

function toSharedLimits({ gateway, settings, open }: LimitedParts): LimitUse[] {
  const { pendingCalls = {}, tasks = {}, limits = {} } = settings;
  const { maxConnections, maxReceivingRequests, maxConcurrentRequests, maxStreams } = { ...defaultLimits, ...limits };
  const { connections, load } = open;
  const rows: Row[] = [
    ["limits.maxConnections", "open connections", maxConnections, connections],
    ["limits.maxReceivingRequests", "requests that are arriving", maxReceivingRequests, load.receiving],
    ["limits.maxConcurrentRequests", "running requests", maxConcurrentRequests, load.running],
    ["limits.maxStreams", "open streams", maxStreams, load.streams],
    ["pendingCalls.max", "pending calls", pendingCalls.max ?? defaultPendingCalls.max, gateway.pendingCalls.length],
    ["tasks.max", "running tasks", tasks.max ?? defaultTasks.max, gateway.tasks.length],
  ];
  return [
    {
      ...{ name: "limits.maxHeldBytes", what: "memory held for callers and upstreams", unit: "bytes" },
      ...{ limit: processMemory.hardBytes, used: processMemory.heldBytes },
    },
    ...rows.map(toCount),
  ];
}

/** How much the caller with most has. */
function toCallerLimits({ gateway, settings }: LimitedParts, { requests, streams }: CallerUse): LimitUse[] {
  const { pendingCalls = {}, tasks = {}, limits = {} } = settings;
  const pending = mostOfCaller(gateway.pendingCalls.map(({ callerId }) => callerId));
  const running = mostOfCaller(gateway.tasks.map(({ callerId }) => callerId));
  const rows: Row[] = [
    ["limits.maxConcurrentPerCaller", "running requests of one caller", requests.limit, requests.used],
    ["limits.maxStreamsPerCaller", "subscriptions of one caller", streams.limit, streams.used],
    [
      ...(["limits.maxWatchedPerCaller", "watched resources of one caller"] as const),
      ...([limits.maxWatchedPerCaller ?? defaultLimits.maxWatchedPerCaller, gateway.watched.mostOfCaller] as const),
    ],
    [
      ...(["pendingCalls.maxPerCaller", "pending calls of one caller"] as const),
      ...([pendingCalls.maxPerCaller ?? defaultPendingCalls.maxPerCaller, pending] as const),
    ],
    [
      ...(["tasks.maxPerCaller", "running tasks of one caller"] as const),
      ...([tasks.maxPerCaller ?? defaultTasks.maxPerCaller, running] as const),
    ],
  ];
  return rows.map(toCount);
}

function mostOfCaller(callers: readonly (string | undefined)[]): number {
  const counts = new Map<string, number>();
  for (const caller of callers) if (caller !== undefined) counts.set(caller, (counts.get(caller) ?? 0) + 1);
  let most = 0;
  for (const count of counts.values()) most = Math.max(most, count);
  return most;
}

function toUpstreamLimits(main: UpstreamSessions, { gateway, settings, callers, offerOf }: LimitedParts): LimitUse[] {
  const { name: upstream, limits } = main;
  const eras = bothErasOf(main);
  // Each era has a pool of its own: the fuller one counts.
  const most = (countOf: (sessions: UpstreamSessions) => number) => Math.max(...eras.map(countOf));
  const own = most(({ sessions }) => sessions.counted);
  const ofCaller = most(({ sessions }) => sessions.mostOfCaller);
  const shared = most(({ sessions }) => sessions.size - sessions.counted);
  const waiting = most(({ waitingCount }) => waitingCount) + gateway.heldCount(upstream);
  const { maxTools, maxPrompts, maxResources, maxTemplates } = { ...defaultListLimits, ...settings.limits };
  const { tools, prompts, resources, templates } = offerOf(upstream);
  const maxFailures = settings.restart?.maxFailures ?? defaultRestart.maxFailures;
  const rows: Row[] = [
    ["sessions.max", "sessions or processes of single callers", limits.max, own],
    ...(callers ? [toPerCallerRow(limits.maxPerCaller ?? defaultSessions.maxPerCaller, ofCaller)] : []),
    // A single one, the default, is always in use.
    ...(limits.maxShared > 1 ? [toSharedRow(limits.maxShared, shared)] : []),
    ["sessions.maxWaiting", "waiting requests", limits.maxWaiting, waiting],
    ["restart.maxFailures", "failures in a row", maxFailures, Math.min(maxFailures, main.upstream.breaker.failures)],
    ["limits.maxTools", "tools", maxTools, tools],
    ["limits.maxPrompts", "prompts", maxPrompts, prompts],
    ["limits.maxResources", "resources", maxResources, resources],
    ["limits.maxTemplates", "resource templates", maxTemplates, templates],
  ];
  return rows.map((row) => ({ ...toCount(row), upstream }));
}

function toSharedRow(limit: number, used: number): Row {
  return ["sessions.maxShared", "sessions or processes that callers share", limit, used];
}

function toPerCallerRow(limit: number, used: number): Row {
  return ["sessions.maxPerCaller", "sessions or processes of one caller", limit, used];
}

function toCount([name, what, limit, used]: Row): LimitUse {
  return { name, what, unit: "count", limit, used };
}
