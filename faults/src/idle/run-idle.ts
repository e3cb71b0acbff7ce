// One run: opens sessions at three replicas, measures them while they are idle, and kills a replica.
import { setTimeout as sleep } from "node:timers/promises";
import { readMetric } from "../fleet/observer.ts";
import { IdleFleet, replicaCount } from "./idle-fleet.ts";
import { Callers, type Recovered } from "./sessions.ts";
import {
  type Delays,
  descriptorsOf,
  type Memory,
  readDelays,
  readMemory,
  readTraffic,
  readUpstream,
  subtract,
  type Traffic,
  type UpstreamStats,
} from "./usage.ts";

export interface IdlePlan {
  readonly clone: string;
  readonly sessions: number;
  readonly idleSeconds: number;
  /** The callers of the killed replica that call again in each second. */
  readonly perSecond: number;
}

export interface IdleReport extends IdlePlan {
  readonly node: string;
  readonly openSeconds: number;
  readonly openFailures: Readonly<Record<string, number>>;
  readonly openDelays: readonly Delays[];
  /** Of each replica, with the warm-up sessions only and with all. */
  readonly before: readonly Memory[];
  readonly after: readonly Memory[];
  readonly counted: number;
  readonly descriptors: readonly number[];
  readonly upstream: UpstreamStats;
  readonly idle: Traffic;
  readonly idleDelays: readonly Delays[];
  /** How long an operator waits, in ms. */
  readonly operator: Readonly<Record<string, number>>;
  readonly recovered: readonly Recovered[];
  readonly recoverySeconds: number;
  readonly recoveryDelays: readonly Delays[];
  readonly recovery: Traffic;
}

/** So that loading and compilation do not count as memory of sessions. */
const warmUp = 150;
const settleMs = 3_000;

export async function runIdle(plan: IdlePlan, onProgress: (text: string) => void): Promise<IdleReport> {
  const fleet = await IdleFleet.start({ clone: plan.clone, sessions: plan.sessions + warmUp });
  const callers = new Callers(fleet);
  try {
    const all = [...fleet.ports.keys()];
    const ofEach = <T>(read: (fleet: IdleFleet, replica: number) => Promise<T>, which = all) =>
      Promise.all(which.map((replica) => read(fleet, replica)));
    await callers.open(0, warmUp);
    await sleep(settleMs);
    const before = await ofEach(readMemory);
    await ofEach(readDelays);
    const startedAt = performance.now();
    const total = warmUp + plan.sessions;
    await callers.open(warmUp, total, (count) => onProgress(`${count} sessions after ${secondsSince(startedAt)} s`));
    const openSeconds = secondsSince(startedAt);
    const openDelays = await ofEach(readDelays);
    // Sockets to the upstream close after 4 s.
    await sleep(settleMs * 2);
    const after = await ofEach(readMemory);
    onProgress(`${Math.round((after[0]?.heap ?? 0) / 1e6)} MB of heap at the first replica`);
    const idle = await measureIdle(fleet, plan.idleSeconds);
    const idleDelays = await ofEach(readDelays);
    const operator = await measureOperator(fleet);
    const leases = await Promise.all(fleet.ports.map((port) => readMetric(port, "lethe_sessions")));
    const upstream = await readUpstream(fleet);
    const descriptors = fleet.replicas.map(({ pid }) => descriptorsOf(pid));
    onProgress(`killing one replica: ${leases.join(", ")} sessions`);
    await ofEach(readDelays);
    const trafficBefore = await readTraffic(fleet);
    const killedAt = performance.now();
    await fleet.replicas[0]?.end("SIGKILL");
    const lost = Array.from({ length: total }, (_, caller) => caller).filter((caller) => caller % replicaCount === 0);
    const recovered = await callers.recover(lost, { replicas: [1, 2], perSecond: plan.perSecond, killedAt });
    const openFailures = callers.failures;
    const recoverySeconds = secondsSince(killedAt);
    const recovery = subtract(await readTraffic(fleet), trafficBefore);
    const recoveryDelays = await ofEach(readDelays, [1, 2]);
    return {
      ...{
        ...plan,
        node: process.version,
        openSeconds,
        openDelays,
        before,
        after,
        counted: plan.sessions / replicaCount,
      },
      ...{
        openFailures,
        descriptors,
        upstream,
        idle,
        idleDelays,
        operator,
        recovered,
        recoverySeconds,
        recoveryDelays,
        recovery,
      },
    };
  } finally {
    callers.close();
    await fleet.close();
  }
}

async function measureIdle(fleet: IdleFleet, seconds: number): Promise<Traffic> {
  const before = await readTraffic(fleet);
  await sleep(seconds * 1_000);
  return subtract(await readTraffic(fleet), before);
}

async function measureOperator({ ports: [port] }: IdleFleet): Promise<Record<string, number>> {
  const times: Record<string, number> = {};
  for (const path of ["/readyz", "/metrics", "/admin/v1/overview", "/admin/v1/upstreams/bare", "/admin/v1/sessions"]) {
    const startedAt = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    const { length } = await response.arrayBuffer().then(({ byteLength: length }) => ({ length }));
    times[`${path} (${response.status}, ${length} bytes)`] = Math.round(performance.now() - startedAt);
  }
  return times;
}

function secondsSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) / 100) / 10;
}
