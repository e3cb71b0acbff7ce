// The limits of a running gateway with their current use, for the administration.
import { processMemory } from "@lethe/protocol";
import { defaultLimits, defaultListLimits, defaultPendingCalls, defaultTasks } from "../config/schema/defaults.ts";
import type { GatewaySettings } from "../config/schema/settings.ts";
import type { Gateway } from "../edge/endpoints/gateway.ts";
import { bothErasOf } from "../upstreams/sessions/legacy-era.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";
import type { LimitUse } from "./admin/api/health.ts";

/** Limits of upstreams that are listed: those that are used most. */
const maxListed = 100;

export interface LimitedParts {
  readonly gateway: Pick<Gateway, "upstreams" | "pendingCalls" | "heldCount" | "tasks">;
  readonly settings: GatewaySettings;
  /** The number of open connections. */
  readonly connections: number;
  /** The numbers of items in the lists of an upstream. */
  offerOf(upstream: string): { readonly tools: number; readonly prompts: number; readonly resources: number };
}

export function toLimitUse(parts: LimitedParts): LimitUse[] {
  const ofUpstreams = parts.gateway.upstreams.flatMap((main) => toUpstreamLimits(main, parts));
  const partOf = ({ used, limit }: LimitUse) => used / Math.max(1, limit);
  const fullest = ofUpstreams.sort((one, other) => partOf(other) - partOf(one)).slice(0, maxListed);
  return [...toSharedLimits(parts), ...fullest];
}

type Row = readonly [name: string, what: string, limit: number, used: number];

function toSharedLimits({ gateway, settings, connections }: LimitedParts): LimitUse[] {
  const { pendingCalls = {}, tasks = {}, limits = {} } = settings;
  const { maxConnections = defaultLimits.maxConnections } = limits;
  const maxPending = pendingCalls.max ?? defaultPendingCalls.max;
  const rows: Row[] = [
    ["limits.maxConnections", "open connections", maxConnections, connections],
    ["pendingCalls.max", "calls that wait for an answer of their caller", maxPending, gateway.pendingCalls.length],
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

function toUpstreamLimits(main: UpstreamSessions, { gateway, settings, offerOf }: LimitedParts): LimitUse[] {
  const { name: upstream, limits } = main;
  const eras = bothErasOf(main);
  // Each era has a pool of its own: the fuller one counts.
  const most = (countOf: (sessions: UpstreamSessions) => number) => Math.max(...eras.map(countOf));
  const own = most(({ sessions }) => sessions.filter(({ key }) => key.isOwn !== true).length);
  const shared = most(({ sessions }) => sessions.filter(({ key }) => key.isOwn === true).length);
  const waiting = most(({ waitingCount }) => waitingCount) + gateway.heldCount(upstream);
  const { maxTools, maxPrompts, maxResources } = { ...defaultListLimits, ...settings.limits };
  const { tools, prompts, resources } = offerOf(upstream);
  const rows: Row[] = [
    ["sessions.max", "sessions or processes of single callers", limits.max, own],
    // A single one, the default, is always in use.
    ...(limits.maxShared > 1 ? [toSharedRow(limits.maxShared, shared)] : []),
    ["sessions.maxWaiting", "requests that wait for a session or their turn", limits.maxWaiting, waiting],
    ["limits.maxTools", "tools", maxTools, tools],
    ["limits.maxPrompts", "prompts", maxPrompts, prompts],
    ["limits.maxResources", "resources", maxResources, resources],
  ];
  return rows.map((row) => ({ ...toCount(row), upstream }));
}

function toSharedRow(limit: number, used: number): Row {
  return ["sessions.maxShared", "sessions or processes that callers share", limit, used];
}

function toCount([name, what, limit, used]: Row): LimitUse {
  return { name, what, unit: "count", limit, used };
}
