// Two gateways with two workers each share one Redis, as on two machines: each of the four workers serves each session.
import { once } from "node:events";
import { Agent, type IncomingMessage, request as sendRequest } from "node:http";
import { Readable } from "node:stream";
import type { JsonObject } from "@lethe/protocol";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createWireClient, type Handle, type WireClient } from "../../examples/src/testing/wire-client.ts";
import { type RunningRedis, startRedis } from "../../packages/redis/src/testing/redis-server.ts";
import { childrenOf, isAlive } from "../processes/process-tree.ts";
import { startWorkerGateway, toKey, type WorkerGateway } from "./worker-gateway.ts";

const callers = ["ann", "bob", "cid", "dee"];
const patience = { timeout: 60_000, interval: 100 };
const env = { LETHE_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64url")}` };

let redis: RunningRedis;
let gateways: WorkerGateway[] = [];
const agents: Agent[] = [];

beforeEach(async () => {
  redis = await startRedis();
  const options = { env, fixed: { redis: { url: redis.url } } };
  gateways = await Promise.all([1, 2].map(() => startWorkerGateway(callers, options)));
  await vi.waitFor(async () => {
    for (const gateway of gateways) expect(await gateway.metric("lethe_replicas")).toBe(3);
  }, patience);
});

afterEach(async () => {
  for (const agent of agents.splice(0)) agent.destroy();
  await Promise.all(gateways.splice(0).map((gateway) => gateway.close()));
  await redis.stop();
});

function overOneConnection(url: string): Handle {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agents.push(agent);
  return async (request) => {
    const headers = Object.fromEntries(request.headers);
    const sent = sendRequest(url, { method: request.method, agent, headers });
    sent.end(await request.text());
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    const type = answer.headers["content-type"] ?? "";
    return new Response(Readable.toWeb(answer) as ReadableStream, {
      status: answer.statusCode ?? 0,
      headers: { "content-type": type },
    });
  };
}

/** Clients of one caller, each with a connection of its own. A parent gives connections to its workers in turn. */
async function connect(caller: string, of: readonly WorkerGateway[] = gateways): Promise<WireClient[]> {
  const clients: WireClient[] = [];
  for (const { url } of of.flatMap((gateway) => [gateway, gateway])) {
    const client = createWireClient(overOneConnection(url), { token: toKey(caller) });
    expect((await client.ask("tools/list")).status).toBe(200);
    clients.push(client);
  }
  return clients;
}

interface Kept {
  readonly pid: number;
  readonly kept: string[];
}

async function recall(client: WireClient): Promise<Kept> {
  const { result } = await client.callTool("keeper__recall");
  expect(result).toMatchObject({ structuredContent: expect.anything() });
  return result?.structuredContent as unknown as Kept;
}

const linesWith = (text: string): string[] =>
  gateways.flatMap(({ lines }) => lines.filter((line) => line.includes(text)));

it("serves one session per caller at four workers, and takes answers to input requests at any of them", async () => {
  for (const caller of callers) {
    const clients = await connect(caller);
    for (const [index, client] of clients.entries()) await client.callTool("keeper__remember", { text: `${index}` });
    const seen = await Promise.all(clients.map(recall));
    expect(new Set(seen.map(({ pid }) => pid)).size).toBe(1);
    for (const { kept } of seen) expect(kept).toEqual(["0", "1", "2", "3"]);
  }

  const clients = await connect("ann");
  let count = 0;
  for (const [begun, one] of clients.entries()) {
    for (const [answered, other] of clients.entries()) {
      const asked = (await one.callTool("keeper__whoami")).result as JsonObject;
      expect(asked).toMatchObject({ resultType: "input_required" });
      const { requestState, inputRequests } = asked;
      const [question = ""] = Object.keys(inputRequests as object);
      const name = `${begun}${answered}`;
      const inputResponses = { [question]: { action: "accept", content: { name } } };
      const { result } = await other.callTool("keeper__whoami", {}, { requestState, inputResponses });
      expect(result).toMatchObject({ content: [{ text: `hello ${name}` }] });
      count += 1;
      expect(linesWith("ran whoami")).toHaveLength(count);
    }
  }
  const forwarded = await Promise.all(gateways.map((gateway) => gateway.metric("lethe_requests_forwarded_total")));
  expect(forwarded[0]).toBeGreaterThan(0);
  expect(forwarded[1]).toBeGreaterThan(0);
});

it("moves only the sessions of a killed worker, and ends its running calls as lost", async () => {
  const before = new Map<string, number>();
  for (const caller of callers) {
    for (const client of await connect(caller)) before.set(caller, (await recall(client)).pid);
  }
  const ownerOf = (upstream: number): number | undefined =>
    gateways.flatMap(({ workers }) => workers).find((worker) => childrenOf(worker).some(({ pid }) => pid === upstream));
  const owner = ownerOf(before.get("ann") as number) as number;
  const kept = callers.filter((caller) => ownerOf(before.get(caller) as number) !== owner);
  const others = gateways.filter(({ workers }) => !workers.includes(owner));
  const waits = (await connect("ann", others)).map((client) => client.callTool("keeper__wait"));
  await vi.waitFor(() => expect(linesWith("ran wait")).toHaveLength(2), patience);

  process.kill(owner, "SIGKILL");
  for (const { error } of await Promise.all(waits)) expect(error).toMatchObject({ data: { reason: "lost" } });
  expect(linesWith("ran wait")).toHaveLength(2);
  const pids = await vi.waitFor(async () => {
    const seen = await Promise.all((await connect("ann")).map(recall));
    return new Set(seen.map(({ pid }) => pid));
  }, patience);
  expect(pids.size).toBe(1);
  expect([...pids].every(isAlive)).toBe(true);
  expect(pids).not.toContain(before.get("ann"));
  for (const caller of kept) {
    for (const client of await connect(caller)) expect((await recall(client)).pid).toBe(before.get(caller));
  }
  await vi.waitFor(async () => {
    for (const gateway of gateways) expect(await gateway.metric("lethe_workers")).toBe(2);
  }, patience);
});

it("reports workers that are replaced as stopped, and not as lost", async () => {
  const [gateway] = gateways as [WorkerGateway];
  await gateway.configure({ limits: { maxTools: 4_000 } });
  // The first one's end is seen by its successor and its sibling, that of the second one by both successors.
  const ends = () => linesWith("").filter((line) => /worker \w{8} (has stopped|was lost)/.test(line));
  await vi.waitFor(() => expect(ends()).toHaveLength(4), { ...patience, timeout: 40_000 });
  expect(linesWith("was lost")).toEqual([]);
});
