// Moves slots of a real Redis Cluster from one primary to another while clients use them, as a rebalancing does.
import type { Redis } from "ioredis";
import type { RunningRedis } from "./redis-server.ts";
import { connectAdmin } from "./redis-tls.ts";

const keysPerStep = 100;
const migrateMs = 5_000;

/** Moves a slot with its keys. Does nothing if `to` serves it already. */
export async function moveSlot(primaries: readonly RunningRedis[], slot: number, to: RunningRedis): Promise<void> {
  const clients = primaries.map(({ port }) => connectAdmin(port));
  try {
    const target = clients[primaries.indexOf(to)] as Redis;
    const source = await servingNode(clients, slot);
    if (source === target) return;
    const [sourceId, targetId] = [
      await source.call("CLUSTER", "MYID"),
      await target.call("CLUSTER", "MYID"),
    ] as string[];
    await target.call("CLUSTER", "SETSLOT", slot, "IMPORTING", `${sourceId}`);
    await source.call("CLUSTER", "SETSLOT", slot, "MIGRATING", `${targetId}`);
    for (;;) {
      const keys = (await source.call("CLUSTER", "GETKEYSINSLOT", slot, keysPerStep)) as string[];
      if (keys.length === 0) break;
      await source.call("MIGRATE", "127.0.0.1", to.port, "", 0, migrateMs, "KEYS", ...keys);
    }
    const others = clients.filter((client) => client !== source && client !== target);
    for (const client of [target, source, ...others])
      await client.call("CLUSTER", "SETSLOT", slot, "NODE", `${targetId}`);
  } finally {
    for (const client of clients) client.disconnect();
  }
}

/** The channels with subscribers at these primaries. */
export async function readShardChannels(primaries: readonly RunningRedis[]): Promise<string[]> {
  const channels: string[] = [];
  for (const { port } of primaries) {
    const client = connectAdmin(port);
    channels.push(...((await client.call("PUBSUB", "SHARDCHANNELS")) as string[]));
    client.disconnect();
  }
  return channels;
}

async function servingNode(clients: readonly Redis[], slot: number): Promise<Redis> {
  for (const client of clients) {
    const ranges = (await client.call("CLUSTER", "SLOTS")) as [from: number, to: number, primary: [string, number]][];
    const range = ranges.find(([from, to]) => from <= slot && slot <= to);
    const port = range?.[2][1];
    const serving = clients.find(({ options }) => options.port === port);
    if (serving) return serving;
  }
  throw new Error(`no primary serves slot ${slot}`);
}
