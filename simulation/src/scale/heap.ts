// What a session takes in the memory of replicas: the used heap before and after, with a garbage collection in between.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { sessionName } from "./call-size.ts";
import { Fleet } from "./fleet.ts";
import type { MeasuredWorld } from "./measured-world.ts";
import type { ScaleReplica } from "./scale-replica.ts";

export interface HeapPerSession {
  /** At the owner, in bytes. */
  readonly owned: number;
  /** At another replica that remembers the owner, in bytes. */
  readonly remembered: number;
}

/** Timers of commands that were answered remain planned for as long, in ms. */
const settleMs = 6_000;
const atOnce = 100;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** One of two replicas owns `count` sessions; in a second run the other one also looks up their owner. */
export async function measureHeap(createWorld: () => MeasuredWorld, count: number): Promise<HeapPerSession> {
  const owned = await growthOf(createWorld(), count, { isLookedUp: false });
  const both = await growthOf(createWorld(), count, { isLookedUp: true });
  return { owned: owned / count, remembered: (both - owned) / count };
}

async function growthOf(world: MeasuredWorld, count: number, { isLookedUp }: { isLookedUp: boolean }): Promise<number> {
  const { replicas } = await Fleet.start(world, { replicas: 2, sessions: count });
  const [owner, other] = replicas as readonly [ScaleReplica, ScaleReplica];
  const empty = usedHeap();
  await acquireAll(world, owner, count);
  if (isLookedUp) await acquireAll(world, other, count);
  // The simulated Redis is in the same heap.
  world.redis.execute(["FLUSHALL"]);
  const growth = usedHeap() - empty;
  for (const replica of replicas) replica.kill();
  return growth;
}

async function acquireAll(world: MeasuredWorld, { directory, process }: ScaleReplica, count: number): Promise<void> {
  let done = 0;
  const acquireFrom = async (first: number): Promise<void> => {
    for (let index = first; index < count; index += atOnce) {
      await directory.acquire(sessionName(index));
      done += 1;
    }
  };
  for (let lane = 0; lane < atOnce; lane += 1) process.run(() => void acquireFrom(lane));
  await world.runUntil(() => done === count, count);
  await world.runFor(settleMs);
}

function usedHeap(): number {
  // Objects that finalizers hold need a second collection.
  for (let turn = 0; turn < 3; turn += 1) collect();
  return process.memoryUsage().heapUsed;
}
