// Two gateways from the command line that share one PostgreSQL, with servers that keep state.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@lethe/protocol";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createWireClient, type WireClient } from "../../examples/src/testing/wire-client.ts";
import { type RunningPostgres, startPostgres } from "../../packages/postgres/src/testing/postgres-server.ts";
import { openSwitchedProxy } from "../../packages/postgres/src/testing/switched-proxy.ts";
import { type RunningGateway, runLetheWith, startGatewayWith } from "../processes/lethe.ts";
import { childrenOf } from "../processes/process-tree.ts";

const keeper = fileURLToPath(new URL("../servers/keeper.mjs", import.meta.url));
const env = { LETHE_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64url")}` };
const token = "key-of-ann--------------";
const otherToken = "key-of-bob--------------";
const keys = [
  { id: "ann", key: token },
  { id: "bob", key: otherToken },
];
const patience = { timeout: 60_000, interval: 100 };
const leaseMs = 2_000;

let postgres: RunningPostgres;
let folder: string;
let file: string;
let gateways: RunningGateway[] = [];

beforeEach(async () => {
  postgres = await startPostgres();
  folder = await mkdtemp(join(tmpdir(), "lethe-postgres-gateways-"));
  file = join(folder, "lethe.json");
  await configure({ postgres: { url: postgres.url, leaseMs } });
}, 120_000);

afterEach(async () => {
  for (const { child } of gateways) child.kill("SIGCONT");
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
  await postgres.stop();
  await rm(folder, { recursive: true });
});

function configure(store: object): Promise<void> {
  const upstreams = { keeper: { sessions: { waitMs: 30_000 } } };
  const gateway = { auth: { keys }, upstreams, shutdown: { graceMs: 1_000 }, ...store };
  return writeFile(
    file,
    JSON.stringify({ mcpServers: { keeper: { command: process.execPath, args: [keeper] } }, gateway }),
  );
}

async function start(): Promise<{
  owner: RunningGateway;
  other: RunningGateway;
  atOwner: WireClient;
  atOther: WireClient;
}> {
  gateways = await Promise.all([1, 2].map(() => startGatewayWith(env, file, "--port", "0", "--verbose")));
  await vi.waitFor(async () => {
    for (const gateway of gateways) expect(await metric(gateway, "lethe_replicas")).toBe(1);
  }, patience);
  const [owner, other] = gateways as [RunningGateway, RunningGateway];
  return { owner, other, atOwner: clientOf(owner), atOther: clientOf(other) };
}

function clientOf({ url }: RunningGateway, key = token): WireClient {
  const send = async (request: Request) => fetch(url, { ...toInit(request), body: await request.text() });
  return createWireClient(send, { token: key });
}

const toInit = ({ method, headers }: Request): RequestInit => ({ method, headers });

async function metric({ url }: RunningGateway, name: string): Promise<number> {
  const text = await (await fetch(new URL("/metrics", url))).text();
  return Number(new RegExp(`^${name}(?:{.*})? (\\d+)`, "m").exec(text)?.[1]);
}

const linesWith = (text: string): string[] =>
  gateways.flatMap(({ output }) => output.stderr.split("\n").filter((line) => line.includes(text)));

async function recall(client: WireClient): Promise<{ pid: number; kept: string[] }> {
  const { result } = await client.callTool("keeper__recall");
  expect(result).toMatchObject({ structuredContent: expect.anything() });
  return result?.structuredContent as unknown as { pid: number; kept: string[] };
}

it("one session per caller is reached through both gateways, and an input request is answered at the other one", async () => {
  const { owner, other, atOwner, atOther } = await start();
  await atOwner.callTool("keeper__remember", { text: "one" });
  await atOther.callTool("keeper__remember", { text: "two" });
  const [seen, again] = [await recall(atOwner), await recall(atOther)];
  expect(seen.kept).toEqual(["one", "two"]);
  expect(again).toEqual(seen);
  expect(childrenOf(owner.child.pid as number).map(({ pid }) => pid)).toContain(seen.pid);
  for (const [begin, end] of [
    [atOwner, atOther],
    [atOther, atOwner],
  ] as const) {
    const asked = (await begin.callTool("keeper__whoami")).result as JsonObject;
    expect(asked).toMatchObject({ resultType: "input_required" });
    const { requestState, inputRequests } = asked;
    const [question = ""] = Object.keys(inputRequests as object);
    const inputResponses = { [question]: { action: "accept", content: { name: "Ann" } } };
    const { result } = await end.callTool("keeper__whoami", {}, { requestState, inputResponses });
    expect(result).toMatchObject({ content: [{ text: "hello Ann" }] });
    // An answer is accepted once, at either gateway.
    const repeated = await begin.callTool("keeper__whoami", {}, { requestState, inputResponses });
    expect(repeated.result).toEqual(result);
  }
  expect(linesWith("ran whoami")).toHaveLength(2);
  expect(await metric(other, "lethe_requests_forwarded_total")).toBeGreaterThan(0);
});

it("both gateways give a caller the same affinity hint for load balancers", async () => {
  const { owner, other } = await start();
  const hints = [owner, other].map(async ({ url }) => {
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    await response.text();
    return response.headers.get("lethe-affinity");
  });
  const [first, second] = await Promise.all(hints);
  expect(first).toMatch(/^[\w-]{16}$/);
  expect(second).toBe(first);
});

it("when the owner is killed, its running call is lost, and the other gateway serves the caller after the lease", async () => {
  const { owner, other, atOwner, atOther } = await start();
  await atOwner.callTool("keeper__remember", { text: "one" });
  const { pid } = await recall(atOther);
  const waiting = atOther.callTool("keeper__wait");
  await vi.waitFor(() => expect(linesWith("ran wait")).toHaveLength(1), patience);
  owner.child.kill("SIGKILL");
  expect((await waiting).error).toMatchObject({ data: { reason: "lost" } });
  // The call waits until the lease of the owner has expired. The caller then gets one error, because the state is gone.
  const first = await atOther.callTool("keeper__recall");
  expect(first.error).toMatchObject({ data: { reason: "session_lost" } });
  const seen = await recall(atOther);
  expect(seen.kept).toEqual([]);
  expect(seen.pid).not.toBe(pid);
  expect(childrenOf(other.child.pid as number).map((child) => child.pid)).toContain(seen.pid);
  expect(linesWith("ran wait")).toHaveLength(1);
  await vi.waitFor(() => expect(linesWith("other replicas take over its sessions")).toHaveLength(1), patience);
});

it("a gateway that stood still runs no call for a session that the other one took, and forwards to it", async () => {
  const { owner, atOwner, atOther } = await start();
  await atOwner.callTool("keeper__remember", { text: "old" });
  const before = await recall(atOwner);
  owner.child.kill("SIGSTOP");
  // Arrives at a process that stands still.
  const late = atOwner.callTool("keeper__remember", { text: "late" });
  await vi.waitFor(
    async () => expect((await atOther.callTool("keeper__remember", { text: "new" })).error).toBeUndefined(),
    patience,
  );
  owner.child.kill("SIGCONT");
  const outcome = await late;
  expect(outcome.error ?? outcome.result).toBeDefined();
  const [seen, again] = [await recall(atOther), await recall(atOwner)];
  expect(seen.pid).not.toBe(before.pid);
  expect(again).toEqual(seen);
  expect(seen.kept).toContain("new");
  expect(seen.kept).not.toContain("old");
});

it("sessions continue after a restart of PostgreSQL, during which nothing but their calls waits", async () => {
  const { atOwner, atOther } = await start();
  await atOwner.callTool("keeper__remember", { text: "one" });
  const before = await recall(atOther);
  await postgres.crash();
  const waiting = [atOwner, atOther].map((client) => recall(client));
  await postgres.start();
  for (const seen of await Promise.all(waiting)) expect(seen).toEqual(before);
});

it("forwarded calls run once, or are lost and run once or not at all, while an administrator ends all connections of the gateways", async () => {
  const { other, atOwner, atOther } = await start();
  const answered: string[] = ["first"];
  await atOwner.callTool("keeper__remember", { text: "first" });
  let ended = 0;
  for (let round = 0; round < 5; round++) {
    const calls = Array.from({ length: 8 }, async (_, index) => {
      const text = `${round} ${index}`;
      const { error } = await atOther.callTool("keeper__remember", { text });
      // The connection that carried the request, or its answer, has ended before the gateway learned whether it arrived.
      if (error) expect(error).toMatchObject({ data: { reason: "lost" } });
      else answered.push(text);
    });
    ended += await postgres.endConnections();
    await Promise.all(calls);
  }
  expect(ended).toBeGreaterThan(0);
  const { kept } = await recall(atOther);
  expect(new Set(kept).size).toBe(kept.length);
  expect(kept).toEqual(expect.arrayContaining(answered));
  expect(await metric(other, "lethe_requests_forwarded_total")).toBeGreaterThanOrEqual(40);
}, 60_000);

it("both gateways follow a failover to a stand-by: sessions continue, and new ones open", async () => {
  const standBy = await startPostgres({ standByOf: postgres });
  const address = await openSwitchedProxy(postgres.port);
  try {
    const url = new URL(postgres.url);
    url.port = String(address.port);
    await configure({ postgres: { url: url.href, leaseMs } });
    const { other, atOwner, atOther } = await start();
    await atOwner.callTool("keeper__remember", { text: "one" });
    const before = await recall(atOther);
    await postgres.kill();
    await standBy.promote();
    address.switchTo(standBy.port);
    const [seen, again, opened] = await Promise.all([atOwner, atOther, clientOf(other, otherToken)].map(recall));
    expect([seen, again]).toEqual([before, before]);
    expect(opened?.kept).toEqual([]);
  } finally {
    await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
    await address.close();
    await standBy.stop();
  }
});

it("a forwarded call continues although PostgreSQL stood still until its connections were given up", async () => {
  const upstreams = { keeper: { elicits: [], sessions: { waitMs: 30_000 } } };
  await configure({ upstreams, postgres: { url: postgres.url, leaseMs: 10_000, commandTimeoutMs: 2_000 } });
  const { owner, other, atOwner, atOther } = await start();
  await atOwner.callTool("keeper__remember", { text: "one" });
  const isUp = () => Promise.all([owner, other].map((gateway) => metric(gateway, "lethe_shared_up")));
  const waiting = atOther.callTool("keeper__wait");
  await vi.waitFor(() => expect(linesWith("ran wait")).toHaveLength(1), patience);
  postgres.pause();
  try {
    await vi.waitFor(async () => expect(await isUp()).toEqual([0, 0]), patience);
  } finally {
    postgres.goOn();
  }
  await vi.waitFor(async () => expect(await isUp()).toEqual([1, 1]), patience);
  expect((await recall(atOther)).kept).toEqual(["one"]);
  // Its server ends while the call runs. A call whose replica was taken for failed would have ended with another error before.
  await atOwner.callTool("keeper__die");
  const { error } = await waiting;
  expect(error?.message).not.toMatch(/replica/);
  expect(error).toBeDefined();
}, 60_000);

it("a gateway that is stopped while PostgreSQL stands still does not wait for its statements to time out", async () => {
  // Were the timeouts of statements awaited, the end would take longer than the test may.
  await configure({ postgres: { url: postgres.url, leaseMs, commandTimeoutMs: 60_000 } });
  const { owner, atOwner } = await start();
  await atOwner.callTool("keeper__remember", { text: "one" });
  postgres.pause();
  try {
    expect(await owner.stop()).toBe(0);
  } finally {
    postgres.goOn();
  }
}, 40_000);

it("a gateway does not start with an unusable PostgreSQL or with two stores, and check says so", async () => {
  const check = (more: Record<string, string> = {}) =>
    runLetheWith({ ...env, ...more }, "gateway", "check", "--config", file, "--port", "0");
  expect(await check()).toMatchObject({ code: 0, stdout: expect.stringContaining("is reachable\n") });
  const two = await check({ LETHE_REDIS_URL: "redis://h" });
  expect(two.code).toBe(1);
  expect(two.stderr).toContain("LETHE_REDIS_URL and gateway.postgres name two stores");
  await configure({});
  const named = await check({ LETHE_POSTGRES_URL: postgres.url });
  expect(named).toMatchObject({ code: 0, stdout: expect.stringContaining("is reachable\n") });
  await postgres.crash();
  expect((await check({ LETHE_POSTGRES_URL: postgres.url })).stdout).toContain("is not reachable: ");
  const secret = postgres.url.replace("lethe@", "lethe:secret-word@");
  const refused = startGatewayWith({ ...env, LETHE_POSTGRES_URL: secret }, file, "--port", "0");
  const reason = await refused.then(
    () => "it started",
    (error: Error) => error.message,
  );
  expect(reason).toMatch(
    /error: gateway\.postgres: PostgreSQL at postgres:\/\/127\.0\.0\.1:\d+\/postgres cannot be used/,
  );
  expect(reason).not.toContain("secret-word");
  await postgres.start();
});
