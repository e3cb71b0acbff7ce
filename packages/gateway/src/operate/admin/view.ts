// Builds the operator's view of the gateway.
import type { Connection } from "@lethe/client";
import type { PendingCall } from "@lethe/client/edge";
import { serverInfoOf } from "@lethe/protocol";
import { ignoredTasksOf } from "@lethe/protocol/revisions";
import type { LiveTask } from "../../calls/live-task.ts";
import type { SessionHold } from "../../calls/pending-call.ts";
import type { UpstreamConfig } from "../../config/upstream-config.ts";
import { bothErasOf } from "../../upstreams/sessions/legacy-era.ts";
import type { Session } from "../../upstreams/sessions/session.ts";
import type { UpstreamSessions } from "../../upstreams/sessions/upstream-sessions.ts";
import type { Verdict } from "../../upstreams/verdict/verdict.ts";
import { consequencesOf, type Statefulness, useOf } from "../observe/consequences.ts";
import type {
  FeaturesView,
  GatewayView,
  PendingCallView,
  SessionView,
  SharedView,
  UpstreamState,
  UpstreamView,
  VerdictView,
} from "../observe/gateway-view.ts";
import type { Redactor } from "../observe/redact.ts";
import { toInputRequestViews, toTaskView } from "../observe/task-view.ts";

/** Sessions of each upstream in one view: an answer has no more, and an upstream may have tens of thousands. */
const maxSessions = 1_000;

export interface ViewSource {
  readonly upstreams: readonly UpstreamSessions[];
  /** Upstreams of earlier configurations that still finish calls. */
  readonly retiring: readonly UpstreamSessions[];
  readonly pendingCalls: readonly PendingCall<SessionHold>[];
  readonly tasks: readonly LiveTask[];
  /** How many items an upstream offers under its own name. */
  offerOf(upstream: string): Pick<UpstreamView, "tools" | "prompts" | "resources">;
  problemsOf(upstream: string): readonly string[];
  /** The number of requests that could not start yet. */
  heldCount(upstream: string): number;
  /** Signs that the tools of an upstream keep state between calls. */
  keptStateOf(upstream: string): readonly string[];
  /** Why an upstream failed last. */
  failureOf(upstream: string): string | undefined;
  readonly hasAuth: boolean;
  readonly redactor: Redactor;
  readonly shared?: SharedView | undefined;
}

/** The lists are built when they are read, because metrics, health checks and event streams need their lengths and versions alone. */
export function toGatewayView(source: ViewSource): GatewayView {
  const { upstreams, retiring, pendingCalls, tasks, redactor } = source;
  const all = [...upstreams, ...retiring];
  const pools = all.flatMap((main) => bothErasOf(main));
  const counts = countUses(source);
  return {
    upstreams: upstreams.map((sessions) => toUpstreamView(sessions, source, counts)),
    get sessions() {
      return all.flatMap((main) => openOf(main).map((session) => toSessionView(main.name, session)));
    },
    sessionCount: sumOf(pools, ({ sessions }) => sessions.openCount),
    get pendingCalls() {
      return pendingCalls.flatMap((call) => toPendingCallView(call, redactor));
    },
    pendingCallCount: sumOf(pendingCalls, ({ holder }) => (holder ? 1 : 0)),
    get tasks() {
      return tasks.map((task) => toTaskView(task, redactor));
    },
    taskCount: tasks.length,
    get versions() {
      return {
        sessions: pools.map(({ name, sessions }) => `${name} ${sessions.version}`).join(),
        "pending-calls": pendingCalls.map(({ holder }) => holder?.id ?? "").join(),
        tasks: tasks.map(({ id, updatedAt }) => `${id} ${updatedAt}`).join(),
      };
    },
    ...(source.shared && { shared: source.shared }),
  };
}

/** What each upstream has, by its name. */
interface UseCounts {
  readonly sessions: ReadonlyMap<string, number>;
  readonly pending: ReadonlyMap<string, number>;
  readonly tasks: ReadonlyMap<string, number>;
}

/** Counts once for all upstreams: there may be a thousand of them, and as many pending calls. */
function countUses({ upstreams, retiring, pendingCalls, tasks }: ViewSource): UseCounts {
  const sessions = new Map<string, number>();
  const pending = new Map<string, number>();
  const running = new Map<string, number>();
  const add = (counts: Map<string, number>, name: string, count = 1) =>
    counts.set(name, (counts.get(name) ?? 0) + count);
  for (const main of [...upstreams, ...retiring]) {
    for (const { sessions: pool } of bothErasOf(main)) add(sessions, main.name, pool.openCount);
  }
  for (const { holder } of pendingCalls) if (holder) add(pending, holder.sessions.name);
  for (const { upstream } of tasks) add(running, upstream);
  return { sessions, pending, tasks: running };
}

function sumOf<T>(items: readonly T[], countOf: (item: T) => number): number {
  return items.reduce((sum, item) => sum + countOf(item), 0);
}

/** The circumstances that decide what a verdict means for callers. */
type Circumstances = Pick<Statefulness, "hasAuth" | "hasReplicas">;

function circumstancesOf({ hasAuth, shared }: ViewSource): Circumstances {
  return { hasAuth, hasReplicas: shared !== undefined };
}

function toUpstreamView(sessions: UpstreamSessions, source: ViewSource, counts: UseCounts): UpstreamView {
  const { name, config, connection, verdict } = sessions;
  const state = stateOf(sessions);
  const statefulness = statefulnessOf(sessions, circumstancesOf(source));
  const reason = state === "failed" ? source.failureOf(name) : undefined;
  return {
    name,
    kind: config.kind,
    target: source.redactor.repeatedText(targetOf(config)),
    state,
    ...(reason !== undefined && { reason: source.redactor.repeatedText(reason) }),
    ...(connection && { era: connection.era, revision: connection.revision }),
    ...(verdict && { sharing: verdict.sharing, because: source.redactor.repeatedText(verdict.because) }),
    ...(verdict && { verdict: toVerdictView(sessions, verdict, source.redactor) }),
    ...(sessions.affinity && { affinity: sessions.affinity }),
    ...(statefulness && { use: useOf(statefulness) }),
    warnings: [
      ...warningsOf(sessions, circumstancesOf(source)),
      ...keptStateWarnings(sessions, source.keptStateOf(name)),
    ].map((warning) => source.redactor.repeatedText(warning)),
    problems: source.problemsOf(name).map((problem) => source.redactor.repeatedText(problem)),
    failures: sessions.upstream.breaker.failures,
    sessions: counts.sessions.get(name) ?? 0,
    sessionsLost: sessions.losses.counts,
    waiting: sessions.waitingCount + source.heldCount(name),
    // Includes calls of its earlier configurations.
    pending: counts.pending.get(name) ?? 0,
    tasks: counts.tasks.get(name) ?? 0,
    ...source.offerOf(name),
  };
}

/** Open sessions only, not those that are opening. */
function openOf(main: UpstreamSessions): readonly Session[] {
  const found = bothErasOf(main).flatMap(({ sessions }) => sessions.open(maxSessions));
  return found.slice(0, maxSessions);
}

function stateOf({ connection, upstream, config, isSingleTenant }: UpstreamSessions): UpstreamState {
  if (connection) return "ready";
  if (upstream.breaker.failures > 0) return "failed";
  return config.start === "demand" || isSingleTenant ? "idle" : "starting";
}

function targetOf(config: UpstreamConfig): string {
  if (config.kind === "memory") return "in this process";
  if (config.kind === "openapi") return config.document;
  return config.kind === "http" ? config.url : [config.command, ...config.args].join(" ");
}

const oneAtATime = 1;
const endsWithSecond =
  "it ended when a second connection began: a caller waits until the one before has not used it for a minute, and finds nothing of it";

/** Warnings about how the verdict was found, and about what it means for callers. */
export function warningsOf(sessions: UpstreamSessions, circumstances: Circumstances): string[] {
  const { verdict, config } = sessions;
  const statefulness = statefulnessOf(sessions, circumstances);
  if (!verdict || !statefulness) return [];
  // A revision without sessions says nothing about the state of a process.
  const isStateless = verdict.word === "STATELESS" && config.kind === "http";
  const { isSingleTenant } = sessions;
  const ignoredTasks = ignoredTasksOf(sessions.connection?.server.capabilities ?? {});
  return [
    ...verdict.warnings,
    ...(isSingleTenant ? [endsWithSecond] : []),
    ...(ignoredTasks === undefined ? [] : [ignoredTasks]),
    ...consequencesOf({
      ...{ ...statefulness, isStateless, maxSessions: config.sessions?.max ?? 64 },
      ...(isSingleTenant && { maxSessions: oneAtATime }),
      takesTurns: takesTurns(verdict),
    }),
  ];
}

/** Streamable HTTP attributes requests to calls, and revisions without sessions send no requests during a call. */
function takesTurns({ era, transport }: Verdict): boolean {
  return era === "legacy" && (transport === "stdio" || transport === "http-sse");
}

/** Warns only if neither the revision nor the operator already says that the tools keep state. */
function keptStateWarnings({ verdict, config }: UpstreamSessions, signs: readonly string[]): string[] {
  const isStated = config.sharing !== undefined || config.affinity !== undefined;
  if (signs.length === 0 || isStated || verdict?.word !== "STATELESS") return [];
  const evidence = signs.join("; ");
  return config.kind === "stdio"
    ? [`it probably keeps state between calls: ${evidence}`]
    : [
        `it probably keeps state between calls: ${evidence}; all callers share one connection, so the server must keep them apart`,
      ];
}

function statefulnessOf(
  { config: { kind }, verdict, affinity }: UpstreamSessions,
  circumstances: Circumstances,
): Omit<Statefulness, "isStateless" | "maxSessions"> | undefined {
  return verdict && affinity && { kind, sharing: verdict.sharing, affinity, ...circumstances };
}

function toVerdictView({ connection }: UpstreamSessions, verdict: Verdict, redactor: Redactor): VerdictView {
  const { word, source, contract, transport, eras, evidence, foundAt } = verdict;
  return {
    ...{ word, source, transport, eras, features: toFeatures(connection) },
    ...(contract && { contract }),
    evidence: evidence.map((line) => redactor.repeatedText(line)),
    found: new Date(foundAt).toISOString(),
  };
}

function toFeatures(connection: Connection | undefined): FeaturesView {
  const info = connection && serverInfoOf(connection.server);
  return {
    ...(info && { server: { name: info.name, version: info.version } }),
    capabilities: Object.keys(connection?.server.capabilities ?? {}),
  };
}

function toSessionView(upstream: string, session: Session): SessionView {
  const { key } = session;
  return {
    upstream,
    // Long enough to tell sessions apart, too short to identify one.
    id: session.id.slice(0, 8),
    ...(key.callerId !== undefined && { caller: key.callerId }),
    isOwn: key.isOwn === true,
    since: new Date(session.startedAt).toISOString(),
    idleMs: session.idleMs,
    users: session.users,
    isEnding: session.isRetired,
  };
}

/** A call without a holder is already on its way back to its caller. */
function toPendingCallView(
  { holder, callerId, inputRequests, expiresAt }: PendingCall<SessionHold>,
  redactor: Redactor,
): PendingCallView[] {
  if (!holder) return [];
  const { id, call, sessions, session, request, name, since } = holder;
  return [
    {
      id,
      ...(call !== undefined && { call }),
      upstream: sessions.name,
      session: session.id.slice(0, 8),
      ...(callerId !== undefined && { caller: callerId }),
      ...{ method: request.method, name: redactor.repeatedText(name) },
      asks: Object.values(inputRequests).map(({ method }) => method),
      inputRequests: toInputRequestViews(inputRequests, redactor),
      since: new Date(since).toISOString(),
      expires: new Date(expiresAt).toISOString(),
    },
  ];
}
