// Callers call at a steady rate: commands, messages and bytes per call.
import { sessionName } from "../call-size.ts";
import type { Fleet } from "../fleet.ts";
import type { ScaleReplica } from "../scale-replica.ts";
import type { Counts } from "../traffic.ts";

export interface CallCounts {
  readonly calls: number;
  readonly here: number;
  readonly forwarded: number;
  readonly failed: number;
  /** For each forwarded call. */
  readonly perForwarded: {
    readonly lookups: number;
    readonly messages: number;
    /** Bytes to and from Redis. */
    readonly bytes: number;
    readonly redisUs: number;
  };
  /** Cores of Redis that the calls need at this rate. */
  readonly redisCores: number;
}

export interface CallLoad {
  readonly callsPerSecond: number;
  readonly seconds: number;
  /** The replica at which call number `index` of a session arrives. */
  readonly arrivesAt: (session: number, round: number) => ScaleReplica;
  /** What passes without calls in one second: it is subtracted. */
  readonly idle: Counts;
}

const patienceMs = 15_000;

export async function measureCalls(fleet: Fleet, load: CallLoad): Promise<CallCounts> {
  const { world, sessions } = fleet;
  const calls = load.callsPerSecond * load.seconds;
  const outcomes = { here: 0, forwarded: 0, failed: 0 };
  let ended = 0;
  const call = (index: number): void => {
    const session = index % sessions;
    const replica = load.arrivesAt(session, Math.floor(index / sessions));
    replica.process.run(() => {
      replica.serve(sessionName(session)).then(
        (served) => {
          outcomes[served] += 1;
          ended += 1;
        },
        () => {
          outcomes.failed += 1;
          ended += 1;
        },
      );
    });
  };
  // One plan per ms, so that the agenda does not hold all calls at once.
  const startedAt = world.agenda.now;
  const planFrom = (index: number): void => {
    const until = Math.min(calls, Math.ceil(((world.agenda.now - startedAt + 1) * load.callsPerSecond) / 1_000));
    for (let next = index; next < until; next += 1)
      world.agenda.after((next - index) / (until - index), () => call(next));
    if (until < calls) world.agenda.after(1, () => planFrom(until));
  };
  world.traffic.take();
  planFrom(0);
  await world.runUntil(() => ended === calls, load.seconds * 1_000 + patienceMs, 1);
  return summarize(world.traffic.take(), { ...load, calls, ...outcomes });
}

function summarize(
  counts: Counts,
  { calls, here, forwarded, failed, idle, seconds }: CallLoad & Omit<CallCounts, "perForwarded" | "redisCores">,
): CallCounts {
  const of = (purpose: string): number => counts.byPurpose.get(purpose)?.count ?? 0;
  const bytesOf = ({ total, delivered }: Counts): number => total.bytesIn + total.bytesOut + delivered.bytes;
  const scale = counts.ms / idle.ms;
  const bytes = bytesOf(counts) - bytesOf(idle) * scale;
  const redisMs = Math.max(0, counts.redisMs - idle.redisMs * scale);
  const each = (value: number): number => (forwarded === 0 ? 0 : Math.max(0, value) / forwarded);
  return {
    ...{ calls, here, forwarded, failed },
    perForwarded: {
      lookups: each(of("acquire") + of("GETRANGE")),
      messages: each(of("message")),
      bytes: each(bytes),
      redisUs: each(redisMs * 1_000),
    },
    redisCores: redisMs / (seconds * 1_000),
  };
}
