// Redis ends and comes back empty: how long replicas keep their sessions, and how they record them again.
import { sessionName } from "../call-size.ts";
import type { Fleet } from "../fleet.ts";

export interface LostRedis {
  /** From the return of Redis until it has a record of every session, in ms. Undefined: not within the limit. */
  readonly recordedMs: number | undefined;
  /** Sessions that their owners gave up. */
  readonly lostSessions: number;
  /** The longest time for which a replica did not answer for its sessions, during the outage and after it, in ms. */
  readonly unservedMs: number;
  /** Commands per second in the busiest window after the return. */
  readonly peakPerSecond: number;
  readonly redisMs: number;
  /** Questions and answers between replicas per second of the outage. */
  readonly directPerSecond: number;
}

const outageMs = 4_000;
const limitMs = 60_000;
const settleMs = 3_000;
const sampleMs = 10;

export async function loseRedis(fleet: Fleet): Promise<LostRedis> {
  const { world } = fleet;
  const { redis, traffic } = world;
  const ownedBefore = fleet.owned;
  const watch = watchService(fleet);
  redis.isTimed = true;
  traffic.take();
  redis.stop();
  await world.runFor(outageMs);
  const during = traffic.take();
  redis.start();
  const recordedMs = await world.runUntil(() => redis.recorded >= fleet.owned, limitMs);
  const after = traffic.take();
  await world.runFor(settleMs);
  redis.isTimed = false;
  return {
    recordedMs,
    lostSessions: ownedBefore - fleet.owned,
    unservedMs: watch.end(),
    ...{ peakPerSecond: after.peakPerSecond, redisMs: after.redisMs },
    directPerSecond: (during.direct.count * 1_000) / during.ms,
  };
}

/** Samples whether each replica answers for its sessions. */
function watchService({ world, replicas }: Fleet): { end(): number } {
  const unserved = replicas.map(() => 0);
  let longest = 0;
  let isOver = false;
  const sample = (): void => {
    for (const [index, { directory }] of replicas.entries()) {
      const isServed = directory.holds(sessionName(index));
      unserved[index] = isServed ? 0 : (unserved[index] as number) + sampleMs;
      longest = Math.max(longest, unserved[index] as number);
    }
    if (!isOver) world.agenda.after(sampleMs, sample);
  };
  sample();
  return {
    end() {
      isOver = true;
      return longest;
    },
  };
}
