// A gateway with a shared store, as its operators see it.
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { connect } from "@lethe/client/node";
import { createLocalDirectory } from "@lethe/server/stores";
import { expect, it, vi } from "vitest";
import { type ServeGatewayOptions, serveGateway } from "../app.ts";
import type { ReadConfig } from "../config/read-config.ts";
import { parseSourceFile } from "../config/source-file.ts";
import { toConfig } from "../config/to-config.ts";
import { createFakeExchange, requestOf } from "../testing/fakes.ts";
import { startUpstreams } from "../testing/operated.ts";
import type { SharedProblem, ShareParts } from "../upstreams/directory/shared-state.ts";
import type { LogEntry } from "./observe/log.ts";

const keys = `k1:${Buffer.alloc(32, 1).toString("base64url")}`;

interface Plan extends Partial<ServeGatewayOptions> {
  url: string;
  direct?: object;
  /** Shares PostgreSQL instead of Redis. */
  postgres?: object;
  policy?: object[];
  graceMs?: number;
}

async function start({ url, policy, direct, postgres, graceMs = 100, ...options }: Plan) {
  const log: LogEntry[] = [];
  const document = {
    mcpServers: { a: { url } },
    gateway: {
      ...(policy && { policy }),
      ...(postgres ? { postgres } : { redis: { url: "redis://u:secret-word@h", ...(direct && { direct }) } }),
      keepAliveMs: 1_000,
      shutdown: { graceMs },
    },
  };
  const load = async (): Promise<ReadConfig> =>
    toConfig([parseSourceFile("lethe.json", JSON.stringify(document))], { environment: { LETHE_KEYS: keys } });
  const plan = { load, settings: { port: 0 }, watches: false, log: (entry: LogEntry) => void log.push(entry) };
  return { log, served: await serveGateway({ ...plan, gateway: { keys }, ...options }) };
}

it("rejects direct connections at the port of the gateway itself, and names both settings", async () => {
  await using upstreams = await startUpstreams("a");
  const share = vi.fn();
  const url = upstreams.urls.a as string;
  const starting = start({ url, share, direct: { listen: "0.0.0.0:7411" }, settings: { port: 7411 } });
  await expect(starting).rejects.toThrow(
    'gateway.redis.direct.listen must have another port than the gateway, which listens on 127.0.0.1:7411, got "0.0.0.0:7411"',
  );
  expect(share).not.toHaveBeenCalled();
});

const counts = { leases: 3, sent: 4, received: 5, replicas: 2, replicasLost: 1, leaseAgeMs: 250 };

it("logs once that the shared store is unreachable, and keeps serving", async () => {
  await using upstreams = await startUpstreams("a");
  let parts: ShareParts | undefined;
  const status = { isReached: true, problems: [] as SharedProblem[], isCutOff: false, ...counts };
  const ends: string[] = [];
  const { log, served } = await start({
    url: upstreams.urls.a as string,
    async share(given) {
      parts = given;
      return {
        directory: { ...createLocalDirectory(), self: "0123456789" },
        status,
        leave: async (graceMs) => void ends.push(graceMs <= 100 ? "left" : "left late"),
        close: async () => void ends.push("closed"),
      };
    },
  });
  const textOf = async (path: string) => (await fetch(new URL(path, served.url))).text();
  await vi.waitFor(async () => expect(await textOf("/readyz")).toBe("ready\n"), 10_000);
  expect(parts?.settings).toEqual({ url: "redis://u:secret-word@h" });
  expect(parts?.ring.isEphemeral).toBe(false);
  // A request that waits for the store fails before its response starts.
  expect(parts?.lookupMs).toBe(1_000);
  expect(parts?.dispatchAt("/mcp/a")).toBeDefined();
  expect(parts?.dispatchAt("/mcp/b")).toBeUndefined();
  expect(served.view().shared).toEqual({ replica: "01234567", ...status });
  expect(JSON.parse(await textOf("/admin/v1")).shared).toEqual(served.view().shared);

  status.isReached = false;
  parts?.onLost("no way to redis://u:secret-word@h");
  expect(await textOf("/readyz")).toBe("ready, without the shared store\n");
  expect(await textOf("/metrics")).toContain("lethe_shared_up 0");
  status.isCutOff = true;
  const cutOff = await fetch(new URL("/readyz", served.url));
  expect(cutOff.status).toBe(503);
  expect(await cutOff.text()).toContain("cut off from the shared store");
  Object.assign(status, { isReached: true, isCutOff: false });
  parts?.onBack();
  parts?.onProblem("something else");
  const told = log.filter(({ event }) => event.startsWith("shared."));
  expect(told.map(({ event }) => event)).toEqual(["shared.lost", "shared.back", "shared.problem"]);
  expect(told[0]?.message).toContain("no way to redis://***@h");
  expect(JSON.stringify(log)).not.toContain("secret-word");
  await served.close();
  expect(ends).toEqual(["left", "closed"]);
});

it("reports an unusable shared store by reason in its readiness, metrics, administration and log", async () => {
  await using upstreams = await startUpstreams("a");
  let parts: ShareParts | undefined;
  const full = { reason: "full", text: "no room at redis://u:secret-word@h" };
  const status = { isReached: true, problems: [full], isCutOff: false, ...counts };
  const { log, served } = await start({
    url: upstreams.urls.a as string,
    async share(given) {
      parts = given;
      return { directory: createLocalDirectory(), status, leave: async () => {}, close: async () => {} };
    },
  });
  const read = (path: string) => fetch(new URL(path, served.url));
  await vi.waitFor(async () => expect((await read("/readyz")).status).toBe(200), 10_000);
  expect(await (await read("/readyz")).text()).toBe("ready, but the shared store has a problem: full\n");
  expect(await (await read("/metrics")).text()).toContain('lethe_shared_problem{reason="full"} 1');
  expect(await (await read("/admin/v1")).text()).not.toContain("secret-word");
  parts?.onTrouble(full);
  parts?.onSolved("full");
  const told = log.filter(({ event }) => event.startsWith("shared."));
  expect(told).toMatchObject([
    { event: "shared.problem", level: "error", reason: "full", message: "no room at redis://***@h" },
    { event: "shared.solved", level: "info", reason: "full" },
  ]);
  status.problems.pop();
  expect(await (await read("/readyz")).text()).toBe("ready\n");
  expect(await (await read("/metrics")).text()).not.toContain("lethe_shared_problem{");
  await served.close();
});

it("reports other replicas that joined, stopped or were lost", async () => {
  await using upstreams = await startUpstreams("a");
  let parts: ShareParts | undefined;
  const status = { isReached: true, problems: [] as SharedProblem[], isCutOff: false, ...counts };
  const { log, served } = await start({
    url: upstreams.urls.a as string,
    async share(given) {
      parts = given;
      return { directory: createLocalDirectory(), status, leave: async () => {}, close: async () => {} };
    },
  });
  const replica = "0123456789";
  for (const kind of ["joined", "left", "lost"] as const) parts?.onReplica({ kind, replica, others: 2 });
  expect(log.filter(({ event }) => event.startsWith("replica."))).toMatchObject([
    { event: "replica.joined", level: "info", replica: "01234567", others: 2 },
    {
      ...{ event: "replica.left", level: "info", replica: "01234567", others: 2 },
      // A Redis that lost its data lists no replica until these have introduced themselves.
      message: "replica 01234567 has stopped, or its record in the shared store is gone",
    },
    { event: "replica.lost", level: "warn", replica: "01234567", others: 2 },
  ]);
  const metrics = await (await fetch(new URL("/metrics", served.url))).text();
  for (const line of ["lethe_replicas 2", "lethe_replicas_lost_total 1", "lethe_lease_age_seconds 0.25"]) {
    expect(metrics).toContain(line);
  }
  await served.close();
});

it("applies its own policy to requests that another replica has admitted", async () => {
  await using upstreams = await startUpstreams("a");
  const status = { isReached: true, problems: [] as SharedProblem[], isCutOff: false, ...counts };
  let parts: ShareParts | undefined;
  const { served } = await start({
    url: upstreams.urls.a as string,
    policy: [{ effect: "deny", tools: ["hold"] }, { effect: "allow" }],
    async share(given) {
      parts = given;
      return { directory: createLocalDirectory(), status, leave: async () => {}, close: async () => {} };
    },
  });
  expect(parts?.dispatchAt("/mcp")).toBeDefined();
  await served.gateway.settled;
  for (const [path, tool] of [
    ["/mcp", "a__hold"],
    ["/mcp/a", "hold"],
  ] as const) {
    const called = parts?.dispatchAt(path)?.(requestOf("tools/call", { name: tool }), createFakeExchange());
    await expect(called).rejects.toThrow("unknown tool");
    const listed = await parts?.dispatchAt(path)?.(requestOf("tools/list"), createFakeExchange());
    expect(JSON.stringify(listed)).not.toContain("hold");
  }
  expect(upstreams.holding).toBe(0);
  await served.close();
});

it("leaves half of the grace time for requests of other replicas while its own callers still wait", async () => {
  await using upstreams = await startUpstreams("a");
  const status = { isReached: true, problems: [] as SharedProblem[], isCutOff: false, ...counts };
  let left: (graceMs: number) => void = () => {};
  const leaving = new Promise<number>((resolve) => {
    left = resolve;
  });
  const share = async () => ({
    ...{ directory: createLocalDirectory(), status, close: async () => {} },
    leave: async (graceMs: number) => left(graceMs),
  });
  const { served } = await start({ url: upstreams.urls.a as string, share, graceMs: 2_000 });
  await served.gateway.settled;
  const client = await connect(served.url);
  const answer = client.callTool("a__hold");
  await vi.waitUntil(() => upstreams.holding === 1);
  const closed = served.close();
  expect(await leaving).toBeGreaterThan(500);
  upstreams.letGo();
  expect((await answer).content).toEqual([{ type: "text", text: "a held" }]);
  await closed;
  await client.close();
});

it("does not start without support for a shared store, without keys, or when the store is unreachable", async () => {
  const url = "http://127.0.0.1:9/mcp";
  await expect(start({ url })).rejects.toThrow("this program has no support for a shared store");
  const share = () => Promise.reject(new Error("no Redis there"));
  await expect(start({ url, share })).rejects.toThrow("no Redis there");
  vi.stubEnv("LETHE_KEYS", "");
  await expect(start({ url, share, gateway: {} })).rejects.toThrow("needs keys, the same for all replicas");
  vi.unstubAllEnvs();
});

it("shares the database that the configuration names, and does not start if the program has no support for it", async () => {
  await using upstreams = await startUpstreams("a");
  const url = upstreams.urls.a as string;
  const postgres = { url: "postgres://lethe@h/lethe", leaseMs: 3_000 };
  const share = () => Promise.reject(new Error("this is Redis"));
  await expect(start({ url, share, postgres })).rejects.toThrow("gateway.postgres: this program has no support");
  const status = { isReached: true, problems: [], isCutOff: false, ...counts };
  let given: unknown;
  const { served } = await start({
    ...{ url, share, postgres },
    async shareByPostgres({ settings }) {
      given = settings;
      return { directory: createLocalDirectory(), status, leave: async () => {}, close: async () => {} };
    },
  });
  expect(given).toEqual(postgres);
  expect(served.view().shared).toMatchObject({ isReached: true, replicas: 2 });
  await served.close();
});

it("shows direct connections in its log, metrics and administration", async () => {
  await using upstreams = await startUpstreams("a");
  let parts: ShareParts | undefined;
  const direct = { listen: "127.0.0.1:7411" };
  const messages = { redis: 3, direct: 40 };
  const status = { isReached: true, problems: [], isCutOff: false, ...counts, links: 2, messages };
  const { log, served } = await start({
    ...{ url: upstreams.urls.a as string, direct },
    async share(given) {
      parts = given;
      return { directory: createLocalDirectory(), status, leave: async () => {}, close: async () => {} };
    },
  });
  expect(parts?.settings.direct).toEqual(direct);
  parts?.onLink({ kind: "up", replica: "0123456789", reason: "" });
  parts?.onLink({ kind: "down", replica: "0123456789", reason: "ECONNRESET" });
  expect(log.filter(({ event }) => /^replica\.(?:dis)?connected$/.test(event))).toMatchObject([
    { event: "replica.connected", replica: "01234567" },
    { event: "replica.disconnected", replica: "01234567", reason: "ECONNRESET" },
  ]);
  const metrics = await (await fetch(new URL("/metrics", served.url))).text();
  expect(metrics).toContain("lethe_replica_links 2");
  expect(metrics).toContain('lethe_replica_messages_total{carrier="redis"} 3');
  expect(metrics).toContain('lethe_replica_messages_total{carrier="direct"} 40');
  expect(served.view().shared).toMatchObject({ links: 2, messages });
  await served.close();
});

it("leaves the shared store when another program takes its port while it joins", async () => {
  await using upstreams = await startUpstreams("a");
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  other.close();
  await once(other, "close");
  const close = vi.fn(async () => {});
  const status = { isReached: true, problems: [] as SharedProblem[], isCutOff: false, ...counts };
  async function share() {
    await once(other.listen(port, "127.0.0.1"), "listening");
    return { directory: createLocalDirectory(), status, leave: async () => {}, close };
  }
  const started = start({ url: upstreams.urls.a as string, share, settings: { port } });
  await expect(started).rejects.toThrow("the port is in use");
  expect(close).toHaveBeenCalledTimes(1);
  other.close();
});
