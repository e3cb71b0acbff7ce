// Injects one planned fault into a fleet, and resolves when its cause is over and what it ended runs again.
import { setTimeout as sleep } from "node:timers/promises";
import type { Fleet } from "../fleet/fleet.ts";
import { sendToRedis } from "../processes/redis.ts";
import type { FaultKind, PlannedFault } from "./schedule.ts";

type Inject = (fleet: Fleet, fault: PlannedFault) => Promise<void>;

const injections: Readonly<Record<FaultKind, Inject>> = {
  kill: (fleet, fault) => restartReplica(fleet, fault, "SIGKILL"),
  term: (fleet, fault) => restartReplica(fleet, fault, "SIGTERM"),
  async freeze(fleet, { replica, ms }) {
    fleet.replicas[replica]?.signal("SIGSTOP");
    await sleep(ms);
    fleet.replicas[replica]?.signal("SIGCONT");
  },
  async cut(fleet, { replica, ms }) {
    fleet.proxies[replica]?.cut();
    await sleep(ms);
    fleet.proxies[replica]?.mend();
  },
  async "redis-kill"(fleet, { ms }) {
    await fleet.redis.end("SIGKILL");
    await sleep(ms);
    await fleet.startRedis();
  },
  async "redis-freeze"(fleet, { ms }) {
    fleet.redis.signal("SIGSTOP");
    await sleep(ms);
    fleet.redis.signal("SIGCONT");
  },
  async "redis-full"(fleet, { ms }) {
    await sendToRedis(fleet.redisPort, "CONFIG", "SET", "maxmemory", "100000");
    await sleep(ms);
    await sendToRedis(fleet.redisPort, "CONFIG", "SET", "maxmemory", "0");
  },
  async flush(fleet) {
    await sendToRedis(fleet.redisPort, "FLUSHALL");
  },
  async nginx(fleet) {
    fleet.balancer.signal("SIGHUP");
  },
  async upstream(fleet, { ms }) {
    await fleet.upstream.end("SIGKILL");
    await sleep(ms);
    await fleet.startUpstream();
  },
};

export function inject(fleet: Fleet, fault: PlannedFault): Promise<void> {
  return injections[fault.kind](fleet, fault);
}

/** Starting waits for Redis, because a gateway does not start without it. */
async function restartReplica(fleet: Fleet, { replica, ms }: PlannedFault, signal: NodeJS.Signals): Promise<void> {
  await fleet.replicas[replica]?.end(signal);
  await sleep(ms);
  for (let failures = 0; ; failures += 1) {
    try {
      return await fleet.startReplica(replica);
    } catch (error) {
      if (failures === 10) throw error;
      await sleep(1_000);
    }
  }
}
