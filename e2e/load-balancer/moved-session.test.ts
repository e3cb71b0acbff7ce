// A session that moved to another of three gateways while the gateway that had it before lives on.
import { fileURLToPath } from "node:url";
import { connectRedis, type RedisConnection } from "@lethe/redis";
import { afterEach, expect, it, vi } from "vitest";
import { type GatewayFleet, startFleet } from "./gateway-fleet.ts";

const keeper = fileURLToPath(new URL("../servers/keeper.mjs", import.meta.url));
const patience = { timeout: 30_000, interval: 50 };
/** Long, so that a pause of the machine makes no replica doubt another one. */
const leaseMs = 15_000;

let fleet: GatewayFleet;
let redis: RedisConnection;

afterEach(async () => {
  redis.close();
  await fleet.close();
});

async function start(redisSettings: object): Promise<void> {
  fleet = await startFleet({
    servers: { keeper: { command: process.execPath, args: [keeper] } },
    upstreams: { keeper: { sharing: "session", sessions: { waitMs: 60_000 } } },
    callers: ["ann"],
    redisSettings: { leaseMs, ...redisSettings },
  });
  await vi.waitFor(async () => expect(await fleet.metric("lethe_replicas")).toEqual([2, 2, 2]), patience);
  redis = await connectRedis({ url: fleet.redis.url });
}

/** How many requests each replica has forwarded. */
const forwarded = () => fleet.metric("lethe_requests_forwarded_total");

it.each([
  ["Redis", {}, 0],
  ["direct connections", { direct: { listen: "127.0.0.1:0" } }, 2],
])(
  "a replica asks the former owner of a session once, and then its next owner, through %s",
  async (_, settings, links) => {
    await start(settings);
    await vi.waitFor(
      async () => expect(await fleet.metric("lethe_replica_links")).toEqual([links, links, links]),
      patience,
    );
    const [atA, atB, atC] = await Promise.all(
      [0, 1, 2].map((index) => fleet.connect("ann", {}, `${fleet.replicas[index]?.url}`)),
    );
    const recall = async (client = atA) => (await client?.callTool("keeper__recall", {}))?.structuredContent;

    // The session ends before a call in it has succeeded, so that there is no loss of which its replica must tell the caller.
    const waiting = atB?.callTool("keeper__wait", {}).catch((error: unknown) => error);
    await vi.waitFor(() => expect(fleet.lines.join("\n")).toContain("ran wait"), patience);
    await expect(atA?.callTool("keeper__die", {})).rejects.toMatchObject({ code: expect.any(Number) });
    expect(await waiting).toMatchObject({ code: expect.any(Number) });
    expect(await forwarded()).toEqual([1, 0, 0]);
    await vi.waitFor(async () => expect(await redis.client.keys("lethe:claim:*")).toEqual([]), patience);

    await atC?.callTool("keeper__remember", { text: "one" });
    const kept = await recall(atC);
    expect(kept).toMatchObject({ kept: ["one"] });
    expect(await forwarded()).toEqual([1, 0, 0]);

    expect(await recall()).toEqual(kept);
    expect(await forwarded()).toEqual([2, 1, 0]);
    expect(await recall()).toEqual(kept);
    expect(await forwarded()).toEqual([3, 1, 0]);
  },
  130_000,
);
