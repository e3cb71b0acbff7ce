// Measures one deployment: its start, idle, calls, the loss of Redis and the loss of a replica, in this order.
import type { Random } from "../world/random.ts";
import { Fleet } from "./fleet.ts";
import { MeasuredWorld } from "./measured-world.ts";
import type { Deployment } from "./options.ts";
import { type CallCounts, measureCalls } from "./phases/calls.ts";
import { type LostRedis, loseRedis } from "./phases/lost-redis.ts";
import { type LostReplica, loseReplica } from "./phases/lost-replica.ts";
import { type StoredByKind, storedBytes } from "./stored-bytes.ts";
import type { Counts } from "./traffic.ts";

export interface Measured {
  readonly deployment: Deployment;
  readonly idle: Counts;
  readonly stored: StoredByKind;
  /** Commands for each session that a caller opens. */
  readonly commandsPerOpen: number;
  readonly calls: {
    /** Every call reaches the owner of its session. */
    readonly affinity: CallCounts;
    /** Each call reaches a replica that its session has not used. */
    readonly firstAtReplica: CallCounts;
    /** The same calls again, at the same replicas. */
    readonly repeated: CallCounts;
  };
  readonly lostRedis: LostRedis;
  readonly lostReplica: LostReplica;
}

export interface RunOptions {
  /** Makes the global sources of chance draw from the world. */
  setRandom(random: Random): void;
  onPhase(name: string): void;
}

const idleMs = 4_000;

export async function runDeployment(deployment: Deployment, { setRandom, onPhase }: RunOptions): Promise<Measured> {
  const { replicas: count, sessions, callsPerSecond, seconds } = deployment;
  const world = new MeasuredWorld(1);
  setRandom(world.random);
  const { traffic } = world;
  onPhase("start");
  const fleet = await Fleet.start(world, deployment);
  onPhase("open sessions");
  traffic.take();
  await fleet.openSessions();
  const commandsPerOpen = (traffic.take().byPurpose.get("acquire")?.count ?? 0) / sessions;
  onPhase("idle");
  await world.runFor(idleMs);
  const idle = traffic.take();
  const stored = storedBytes(world.redis);
  const load = { callsPerSecond, seconds, idle };
  /** Neighbouring calls of a replica belong to different owners, as in round robin. */
  const spread = (session: number, round: number) => {
    return fleet.replicas[(2 * session + round) % count] ?? fleet.ownerOf(session);
  };
  onPhase("calls");
  const calls = {
    affinity: await measureCalls(fleet, { ...load, arrivesAt: (session) => fleet.ownerOf(session) }),
    firstAtReplica: await measureCalls(fleet, { ...load, arrivesAt: spread }),
    repeated: await measureCalls(fleet, { ...load, arrivesAt: spread }),
  };
  onPhase("lost Redis");
  const lostRedis = await loseRedis(fleet);
  onPhase("lost replica");
  const lostReplica = await loseReplica(fleet);
  for (const replica of fleet.alive) replica.kill();
  return { deployment, idle, stored, commandsPerOpen, calls, lostRedis, lostReplica };
}
