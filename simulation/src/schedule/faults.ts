// The faults of a schedule. Each begins at a random time and ends by itself or with the schedule.
import type { Cluster } from "../world/cluster.ts";
import { redisMachine, type World } from "../world/world.ts";
import { cutPaths, drawDirections } from "./cut-paths.ts";
import { directFaults, endSilence } from "./direct-faults.ts";
import type { Fault } from "./fault.ts";

/** Most faults are short, some outlast a lease, few outlast everything. */
function drawLength({ random }: World): number {
  return random.pick([random.between(1, 100), random.between(100, 1_500), random.between(1_500, 5_000), 9_000]);
}

/** How far a wall clock jumps, in ms. */
function drawJump({ random }: World): number {
  return random.between(-60_000, 60_000);
}

const replicaFaults: Record<string, Fault> = {
  freeze: {
    weight: 4,
    begin(world, cluster) {
      const replica = world.random.pick(cluster.programs);
      replica.process.freeze();
      // A suspended or moved machine often has its clock set meanwhile.
      if (world.random.chance(0.3)) replica.process.skew(drawJump(world));
      return { what: `${replica.name} freezes`, end: () => replica.process.thaw() };
    },
  },
  crash: {
    weight: 3,
    begin(world, cluster) {
      const replica = world.random.pick(cluster.programs);
      replica.kill();
      return { what: `${replica.name} crashes` };
    },
  },
  stop: {
    weight: 2,
    begin(world, cluster) {
      const replica = world.random.pick(cluster.programs);
      replica.stop(2_000);
      return { what: `${replica.name} stops` };
    },
  },
  clock: {
    weight: 2,
    begin(world, cluster) {
      const replica = world.random.pick(cluster.programs);
      const ms = drawJump(world);
      replica.process.skew(ms);
      return { what: `the wall clock of ${replica.name} jumps by ${ms.toFixed(0)} ms` };
    },
  },
};

const networkFaults: Record<string, Fault> = {
  "cut from Redis": {
    weight: 4,
    begin(world, cluster) {
      const { machine } = world.random.pick(cluster.programs);
      const pairs = drawDirections(world, machine, redisMachine);
      return { what: `cut: ${pairs.map((pair) => pair.join(" to ")).join(", ")}`, end: cutPaths(world, pairs) };
    },
  },
  "cut from another": {
    weight: 2,
    begin(world, cluster) {
      const one = world.random.pick(cluster.machines);
      const other = world.random.pick(cluster.machines);
      const pairs = one === other ? [] : drawDirections(world, one, other);
      return { what: `cut: ${pairs.map((pair) => pair.join(" to ")).join(", ")}`, end: cutPaths(world, pairs) };
    },
  },
  "slow network": {
    weight: 2,
    begin(world) {
      const slowPart = world.random.between(0.02, 0.5);
      const delayMs = world.random.pick([1, 5, 20]);
      for (const path of world.paths) Object.assign(path, { slowPart, delayMs });
      return {
        what: `slow network: ${delayMs} ms`,
        end: () => {
          for (const path of world.paths) Object.assign(path, { slowPart: 0, delayMs: 0.5 });
        },
      };
    },
  },
};

/** Redis comes back with all its data. */
const harmlessRedisFaults: Record<string, Fault> = {
  stall: {
    weight: 2,
    begin({ redis }) {
      redis.stall();
      return { what: "Redis stands still", end: () => redis.resume() };
    },
  },
  "short restart": {
    weight: 2,
    begin({ redis }) {
      redis.stop(redis.snapshot());
      return { what: "Redis ends, and will be as it was", end: () => redis.start() };
    },
  },
};

const redisFaults: Record<string, Fault> = {
  restart: {
    weight: 2,
    begin(world) {
      const { redis, random } = world;
      const data = random.chance(0.5) ? redis.snapshot() : undefined;
      redis.stop(data);
      return { what: `Redis ends, and will be ${data ? "as it was" : "empty"}`, end: () => redis.start() };
    },
  },
  failover: {
    weight: 2,
    begin(world) {
      const { redis, agenda, random } = world;
      const standBy = redis.snapshot();
      const lagMs = random.pick([0, 5, 100, 1_000]);
      const pauseMs = random.pick([0, 100, 1_000]);
      agenda.after(lagMs, () => {
        if (!redis.isUp) return;
        world.tell(`Redis fails over to a stand-by that lacks the last ${lagMs} ms`);
        redis.stop(standBy);
        agenda.after(pauseMs, () => redis.start());
      });
      return { what: `the stand-by of Redis stands still` };
    },
  },
  full: {
    weight: 1,
    begin({ redis }) {
      redis.isFull = true;
      return {
        what: "Redis is full",
        end: () => {
          redis.isFull = false;
        },
      };
    },
  },
};

function drawFrom(...tables: Record<string, Fault>[]): readonly Fault[] {
  return tables.flatMap((faults) => Object.values(faults).flatMap((fault) => Array<Fault>(fault.weight).fill(fault)));
}

/** Faults to draw from. `direct`: some concern direct connections. `lasting`: Redis keeps its data. `outages`: only Redis fails, and keeps its data. */
const lotteries = {
  all: drawFrom(replicaFaults, networkFaults, harmlessRedisFaults, redisFaults),
  direct: drawFrom(replicaFaults, networkFaults, harmlessRedisFaults, redisFaults, directFaults),
  lasting: drawFrom(replicaFaults, networkFaults, harmlessRedisFaults),
  outages: drawFrom(harmlessRedisFaults),
} as const;

export interface FaultPlan {
  readonly kind: keyof typeof lotteries;
  readonly count: number;
  /** Each begins before this time from now, in ms. */
  readonly untilMs: number;
}

/** Plans faults at any time or close together. */
export function planFaults(world: World, cluster: Cluster, { kind, count, untilMs }: FaultPlan): void {
  const { random, agenda } = world;
  let at = random.between(0, untilMs);
  for (let index = 0; index < count; index += 1) {
    // Faults that overlap are the hard ones.
    at = random.chance(0.5) ? random.between(0, untilMs) : Math.min(untilMs, at + random.between(0, 1_000));
    const fault = random.pick(lotteries[kind]);
    agenda.at(agenda.now + at, () => {
      const { what, end, lengthMs = drawLength(world) } = fault.begin(world, cluster);
      world.tell(what);
      if (!end) return;
      agenda.after(Math.min(lengthMs, untilMs), () => {
        world.tell(`over: ${what}`);
        end();
      });
    });
  }
}

/** Ends all faults. */
export function heal(world: World, cluster: Cluster): void {
  const { redis } = world;
  for (const path of world.paths) {
    path.restore();
    Object.assign(path, { slowPart: 0, delayMs: 0.5 });
  }
  for (const connection of world.connections) endSilence(connection);
  redis.isFull = false;
  redis.start();
  redis.resume();
  for (const { process } of cluster.programs) process.thaw();
  cluster.startMissing();
  world.tell("all faults are over");
}
