// The faults of the table. Each runs against a fresh fleet under load, and resolves when the cause of the fault is over.
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Fleet, type FleetPlan, faketime } from "../fleet/fleet.ts";
import { type Parked, parkWork } from "../load/parked-work.ts";
import { findProgram } from "../processes/find-program.ts";
import { isListening } from "../processes/ports.ts";
import { sendToRedis, usedMemory } from "../processes/redis.ts";

export interface Fault {
  readonly name: string;
  /** As in the table. */
  readonly title: string;
  readonly plan?: Partial<FleetPlan>;
  /** Seconds of load after the fault is over. */
  readonly after?: number;
  /** Returns why this machine cannot show the fault. */
  readonly missing?: () => string | undefined;
  /** `note` adds a sentence to the row. */
  readonly run: (fleet: Fleet, note: (text: string) => void) => Promise<void>;
  /** True if an untyped error is allowed: the load balancer gives up connections of callers. */
  readonly cutsClients?: boolean;
  /** Prepares something before the fault. */
  readonly before?: (fleet: Fleet) => Promise<Parked>;
}

const seconds = (count: number) => sleep(count * 1_000);
const noFaketime = () => (existsSync(faketime) ? undefined : "libfaketime is not installed (apt-get install faketime)");

export const faults: readonly Fault[] = [
  {
    name: "kill",
    title: "SIGKILL a replica",
    cutsClients: true,
    run: killBusiest,
  },
  {
    name: "kill-skewed",
    title: "SIGKILL a replica, another replica's clock −5 min",
    cutsClients: true,
    plan: { skew: { replica: 2, seconds: -300 } },
    missing: noFaketime,
    run: (fleet) => fleet.replicas[0]?.end("SIGKILL") ?? Promise.resolve(),
  },
  {
    name: "term",
    title: "SIGTERM a replica",
    run: async (fleet) => fleet.replicas[await fleet.busiestReplica()]?.end("SIGTERM"),
  },
  {
    name: "rolling",
    title: "rolling restart of three",
    async run(fleet) {
      for (const index of fleet.ports.keys()) {
        await fleet.replicas[index]?.end("SIGTERM");
        await fleet.startReplica(index);
        await seconds(2);
      }
    },
  },
  ...[3, 30].map((count) => ({
    name: `stop-${count}`,
    title: `SIGSTOP a replica, ${count} s`,
    cutsClients: true,
    run: (fleet: Fleet) => freezeReplica(fleet, count),
  })),
  ...[4, 21].map((count) => ({
    name: `redis-empty-${count}`,
    title: `Redis killed, back empty after ${count} s`,
    run: (fleet: Fleet) => restartRedis(fleet, count),
  })),
  {
    name: "redis-aof",
    title: "Redis stopped, back with its data (AOF) after 4 s",
    plan: { isPersistent: true },
    run: (fleet) => restartRedis(fleet, 4, "SIGTERM"),
  },
  {
    name: "flushall",
    title: "FLUSHALL",
    run: async (fleet) => void (await sendToRedis(fleet.redisPort, "FLUSHALL")),
  },
  ...[3, 15, 30].map((count) => ({
    name: `redis-stop-${count}`,
    title: `Redis SIGSTOP ${count} s`,
    run: (fleet: Fleet) => freezeRedis(fleet, count),
  })),
  {
    name: "failover",
    title: "Redis primary killed, stand-by promoted after 5.5 s behind one address",
    plan: { proxy: "one", hasStandby: true },
    run: failOver,
  },
  {
    name: "cut-off",
    title: "one replica cut off from Redis (black hole) for 22 s",
    plan: { proxy: "each" },
    async run(fleet) {
      const proxy = fleet.proxies[await fleet.busiestReplica()];
      proxy?.cut();
      await seconds(22);
      proxy?.mend();
    },
  },
  { name: "redis-full", title: "Redis full (noeviction) for 17 s", run: fillRedis },
  { name: "redis-evicting", title: "Redis evicting (allkeys-random) for 15 s", run: evict },
  {
    name: "nginx",
    title: "nginx stopped and started after 1 s, then reloaded",
    cutsClients: true,
    run: restartBalancer,
  },
  {
    name: "clock",
    title: "clock of a replica +45 s",
    plan: { skew: { replica: 1, seconds: 45 } },
    missing: noFaketime,
    run: () => seconds(3),
  },
  {
    name: "valkey",
    title: "Valkey killed for 1.5 s",
    missing: () => (findProgram("valkey-server") ? undefined : "valkey-server is not installed"),
    plan: { redisProgram: "valkey-server" },
    run: (fleet) => restartRedis(fleet, 1.5),
  },
  {
    name: "parked",
    title: "SIGKILL the replica with a running gateway task and a parked question",
    cutsClients: true,
    before: parkWork,
    run: async (fleet) => fleet.replicas[await fleet.replicaWithMost("lethe_pending_calls")]?.end("SIGKILL"),
  },
];

async function killBusiest(fleet: Fleet): Promise<void> {
  await fleet.replicas[await fleet.busiestReplica()]?.end("SIGKILL");
}

async function freezeReplica(fleet: Fleet, count: number): Promise<void> {
  const replica = fleet.replicas[await fleet.busiestReplica()];
  replica?.signal("SIGSTOP");
  await seconds(count);
  replica?.signal("SIGCONT");
}

async function restartRedis(fleet: Fleet, count: number, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
  await fleet.redis.end(signal);
  await seconds(count);
  await fleet.startRedis();
}

async function freezeRedis(fleet: Fleet, count: number): Promise<void> {
  fleet.redis.signal("SIGSTOP");
  await seconds(count);
  fleet.redis.signal("SIGCONT");
}

async function failOver(fleet: Fleet): Promise<void> {
  const [proxy] = fleet.proxies;
  await fleet.redis.end("SIGKILL");
  proxy?.refuse();
  await seconds(5.5);
  await sendToRedis(fleet.standbyPort, "REPLICAOF", "NO", "ONE");
  proxy?.pointTo(fleet.standbyPort);
}

async function fillRedis(fleet: Fleet): Promise<void> {
  await sendToRedis(fleet.redisPort, "CONFIG", "SET", "maxmemory-policy", "noeviction");
  // Less than Redis uses already, so that it denies each command that may need memory.
  await sendToRedis(fleet.redisPort, "CONFIG", "SET", "maxmemory", "100000");
  await seconds(17);
  await sendToRedis(fleet.redisPort, "CONFIG", "SET", "maxmemory", "0");
}

/** Other users of the same Redis write, so that it evicts keys of Lethe among theirs. */
async function evict(fleet: Fleet): Promise<void> {
  const port = fleet.redisPort;
  for (let index = 0; index < 20; index += 1) await fill(port, index);
  await sendToRedis(port, "CONFIG", "SET", "maxmemory-policy", "allkeys-random");
  await sendToRedis(port, "CONFIG", "SET", "maxmemory", String((await usedMemory(port)) + 20_000));
  for (let index = 0; index < 150; index += 1) {
    await fill(port, 20 + index);
    await sleep(100);
  }
  await sendToRedis(port, "CONFIG", "SET", "maxmemory", "0");
  await sendToRedis(port, "CONFIG", "SET", "maxmemory-policy", "noeviction");
}

async function fill(port: number, index: number): Promise<void> {
  await sendToRedis(port, "SET", `other:${index}`, "x".repeat(20_000)).catch(() => {});
}

async function restartBalancer(fleet: Fleet): Promise<void> {
  const port = Number(new URL(fleet.url).port);
  await fleet.balancer.end("SIGTERM");
  while (await isListening(port)) await sleep(20);
  await seconds(1);
  await fleet.startBalancer();
  await seconds(5);
  fleet.balancer.signal("SIGHUP");
}
