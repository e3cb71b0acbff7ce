// A replica is killed, and all callers of its sessions call other replicas within a second.
import { sessionName } from "../call-size.ts";
import type { Fleet } from "../fleet.ts";
import type { ScaleReplica } from "../scale-replica.ts";

export interface LostReplica {
  readonly sessions: number;
  /** From the loss until the first and the last other replica know of it, in ms. */
  readonly knownMs: { readonly first: number; readonly last: number };
  /** How many of them are served elsewhere within a minute. */
  readonly served: number;
  /** From the loss until half and the last of these are served, in ms. */
  readonly servedMs: { readonly half: number; readonly all: number };
  /** Calls that failed, and that callers made again. */
  readonly failedCalls: number;
  readonly commands: number;
  readonly peakPerSecond: number;
  readonly redisMs: number;
  /** Sessions of other replicas that were lost. */
  readonly otherLosses: number;
}

/** All callers notice that the replica is gone within this time, in ms. */
const spreadMs = 1_000;
const limitMs = 60_000;
const settleMs = 5_000;

export async function loseReplica(fleet: Fleet): Promise<LostReplica> {
  const { world } = fleet;
  const { agenda, random, redis, traffic } = world;
  const lost = fleet.replicas.at(-1) as ScaleReplica;
  const ownedByOthers = fleet.owned - lost.directory.leases;
  const sessions: number[] = [];
  for (let session = 0; session < fleet.sessions; session += 1) {
    if (fleet.ownerOf(session) === lost) sessions.push(session);
  }
  const served: number[] = [];
  let failedCalls = 0;
  fleet.lossesSeen.length = 0;
  redis.isTimed = true;
  traffic.take();
  const startedAt = agenda.now;
  lost.kill();
  const others = fleet.alive;

  function call(session: number): void {
    const replica = random.pick(others);
    replica.process.run(() => {
      replica.serve(sessionName(session)).then(
        () => void served.push(agenda.now - startedAt),
        () => {
          failedCalls += 1;
          agenda.after(random.between(0, spreadMs), () => call(session));
        },
      );
    });
  }
  for (const session of sessions) agenda.after(random.between(0, spreadMs), () => call(session));
  await world.runUntil(() => served.length === sessions.length, limitMs);
  const counts = traffic.take();
  await world.runUntil(() => fleet.lossesSeen.length >= others.length, settleMs);
  redis.isTimed = false;
  const seen = fleet.lossesSeen.map((at) => at - startedAt);
  return {
    sessions: sessions.length,
    knownMs: { first: Math.min(...seen), last: Math.max(...seen) },
    served: served.length,
    servedMs: { half: served[Math.floor(served.length / 2)] ?? Number.NaN, all: served.at(-1) ?? Number.NaN },
    failedCalls,
    commands: counts.total.count,
    ...{ peakPerSecond: counts.peakPerSecond, redisMs: counts.redisMs },
    otherLosses: ownedByOthers - (fleet.owned - served.length),
  };
}
