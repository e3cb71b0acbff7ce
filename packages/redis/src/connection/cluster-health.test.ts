import { expect, test, vi } from "vitest";
import { useRedis } from "../testing/own-redis.ts";
import { startCluster } from "../testing/redis-cluster.ts";
import { connectAdmin } from "../testing/redis-tls.ts";
import { connectRedis } from "./redis-connection.ts";
import { RedisHealth } from "./redis-health.ts";

const redis = useRedis();
const patience = { timeout: 20_000, interval: 50 };
const rights = [
  "~lethe:*",
  "&lethe:*",
  "+@read",
  "+@write",
  "+@pubsub",
  "+@scripting",
  "+@connection",
  "+info",
  "+cluster",
];

test("reports the password that the nodes of a Cluster no longer accept until they do", async () => {
  const cluster = await startCluster();
  redis.atEnd(() => cluster.stop());
  const admins = cluster.primaries.map(({ port }) => connectAdmin(port));
  redis.atEnd(() => {
    for (const admin of admins) admin.disconnect();
  });
  const everywhere = (...command: [string, ...string[]]) => Promise.all(admins.map((admin) => admin.call(...command)));
  await everywhere("ACL", "SETUSER", "lethe", "on", ">word", ...rights);
  const url = cluster.url.replace("//", "//lethe:word@");
  const events: string[] = [];
  const health = new RedisHealth({
    ...{ url, probeEveryMs: 200 },
    onBegin: ({ reason, text }) => events.push(`begin ${reason}: ${text}`),
    onEnd: (reason) => events.push(`end ${reason}`),
    onLost() {},
    onBack() {},
  });
  const connection = await connectRedis({ url, onLost: health.connectionLost, onBack: health.connectionBack });
  redis.atEnd(() => {
    health.close();
    connection.close();
  });
  health.watch(connection.home ?? connection);
  // Ends the connections of the account, too.
  await everywhere("ACL", "DELUSER", "lethe");
  await vi.waitFor(
    () => expect(events).toEqual([expect.stringMatching(/^begin no_permission: .*WRONGPASS/)]),
    patience,
  );
  await everywhere("ACL", "SETUSER", "lethe", "on", ">word", ...rights);
  await vi.waitFor(() => expect(events.slice(1)).toEqual(["end no_permission"]), patience);
}, 60_000);
