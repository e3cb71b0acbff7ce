// A stateful server behind the gateway: every caller has its own session.
import { fileURLToPath } from "node:url";
import type { Client } from "@lethe/client";
import type { CallToolResult } from "@lethe/protocol";
import type { UpstreamConfig, UpstreamPolicy } from "lethe/gateway";
import { afterEach, describe, expect, it } from "vitest";
import { childrenOf, isAlive } from "../processes/process-tree.ts";
import { type RunningServer, startPublished } from "../servers/published.ts";
import { type GatewayPlan, type RunningGateway, runGateway, stdioUpstream } from "./in-process.ts";

const keeper = fileURLToPath(new URL("../servers/keeper.mjs", import.meta.url));
const keeperHttp = fileURLToPath(new URL("../servers/keeper-http.mjs", import.meta.url));

let running: RunningGateway | undefined;
afterEach(async () => {
  await running?.close();
  running = undefined;
});

async function start(policy: UpstreamPolicy = {}, plan: Partial<GatewayPlan> = {}): Promise<RunningGateway> {
  running = await runGateway({ upstreams: [stdioUpstream("keeper", [keeper], policy)], ...plan });
  return running;
}

interface Kept {
  pid: number;
  kept: string[];
}

async function recall(client: Client, args = {}): Promise<Kept> {
  return (await client.callTool("keeper__recall", args)).structuredContent as Kept;
}

const textOf = ({ content }: CallToolResult) => content.map((block) => ("text" in block ? block.text : "")).join("\n");

function keepers(): number[] {
  return childrenOf(process.pid)
    .filter(({ command }) => command.includes("keeper.mjs"))
    .map(({ pid }) => pid);
}

/** The number of runs that the server reports, by tool. */
function runsOf({ stderr }: RunningGateway, tool: string): number {
  return (stderr.get("keeper") ?? []).filter((line) => line.startsWith(`ran ${tool} `)).length;
}

/** The output of the published server that is not a child of the gateway. */
let published: RunningServer | undefined;
afterEach(async () => {
  await published?.stop();
  published = undefined;
});

const publishedKeeper = { program: () => ({ command: process.execPath, args: [keeperHttp] }), path: "/mcp" };

const transports: readonly [name: string, toUpstream: () => UpstreamConfig | Promise<UpstreamConfig>][] = [
  ["stdio", () => stdioUpstream("keeper", [keeper])],
  [
    "Streamable HTTP",
    async () => {
      published = await startPublished(publishedKeeper);
      return { kind: "http", name: "keeper", url: published.url, headers: {} };
    },
  ],
];

describe.each(transports)("two callers of a server by %s", (transport, toUpstream) => {
  it("two callers never see each other's state under 500 concurrent mixed calls", async () => {
    running = await runGateway({ upstreams: [await toUpstream()], callers: ["ann", "bob"] });
    const gateway = running;
    const names = ["ann", "bob"] as const;
    const clients = await Promise.all(
      names.map((name) => gateway.connect({ elicit: () => ({ action: "accept", content: { name } }) }, name)),
    );
    const work = Array.from({ length: 500 }, async (_, index) => {
      const name = names[index % 2] as string;
      const client = clients[index % 2] as Client;
      const call = async (tool: string, args = {}) => textOf(await client.callTool(`keeper__${tool}`, args));
      switch (Math.floor(index / 2) % 6) {
        case 0:
          return void (await call("remember", { text: `${name} ${index}` }));
        case 1:
          return expect(await call("whoami")).toBe(`hello ${name}`);
        case 2: {
          const steps: number[] = [];
          await client.callTool("keeper__count", { steps: 4 }, { onProgress: ({ progress }) => steps.push(progress) });
          // On stdio an elicitation names no call. It may arrive through this call, which then receives fewer notifications.
          return expect([1, 2, 3, 4]).toEqual(expect.arrayContaining(steps));
        }
        case 3:
          return void (await call("navigate", { url: `https://${name}.example/${index}` }));
        case 4:
          return expect(await call("snapshot")).toMatch(new RegExp(`^about:blank$|^https://${name}\\.example/`));
        default:
          return expect((await recall(client)).kept.filter((text) => !text.startsWith(name))).toEqual([]);
      }
    });
    await Promise.all(work);
    const kept = await Promise.all(clients.map(async (client) => (await recall(client)).kept));
    // Of a caller's 250 calls in six kinds, 42 are of the first kind and 42 of the second. Both kinds store something.
    expect(kept.map((texts) => texts.length)).toEqual([84, 84]);
    expect(kept.map((texts) => [...new Set(texts.map((text) => text.split(" ")[0]))])).toEqual([["ann"], ["bob"]]);
    if (transport === "stdio") expect(keepers()).toHaveLength(3);
    const log = published?.output().split("\n") ?? gateway.stderr.get("keeper") ?? [];
    for (const tool of ["remember", "whoami", "count", "navigate"]) {
      expect(log.filter((line) => line.startsWith(`ran ${tool} `))).toHaveLength(84);
    }
    await Promise.all(clients.map((client) => client.close()));
  });
});

describe("two callers", () => {
  it("two callers share a session if the configuration says so", async () => {
    const gateway = await start({ affinity: "shared" }, { callers: ["ann", "bob"] });
    const ann = await gateway.connect({}, "ann");
    const bob = await gateway.connect({}, "bob");
    await ann.callTool("keeper__remember", { text: "ours" });
    expect((await recall(bob)).kept).toEqual(["ours"]);
    expect(keepers()).toHaveLength(1);
    await Promise.all([ann.close(), bob.close()]);
  });
});

describe("anonymous callers", () => {
  it("anonymous callers share one session", async () => {
    const gateway = await start();
    const first = await gateway.connect();
    const second = await gateway.connect();
    await first.callTool("keeper__remember", { text: "anybody's" });
    expect((await recall(second)).kept).toEqual(["anybody's"]);
    expect(keepers()).toHaveLength(1);
    await Promise.all([first.close(), second.close()]);
  });
});

describe("session handles", () => {
  it("session handles separate the conversations of one caller", async () => {
    const gateway = await start({ affinity: "handle" }, { callers: ["ann", "bob"] });
    const ann = await gateway.connect({}, "ann");
    const begin = async (text: string) => {
      const result = await ann.callTool("keeper__remember", { text });
      return { handle: result._meta?.["lethe/session"] as string, text: textOf(result) };
    };
    const one = await begin("one");
    const two = await begin("two");
    expect(one.text).toContain(`gateway_session: ${one.handle}`);
    const first = await recall(ann, { gateway_session: one.handle });
    expect(first).toMatchObject({ kept: ["one"], gateway_session: one.handle });
    expect((await recall(ann, { gateway_session: two.handle })).kept).toEqual(["two"]);
    const tool = (await ann.listTools()).find(({ name }) => name === "keeper__recall");
    expect(tool?.inputSchema.properties).toHaveProperty("gateway_session.type", "string");

    const bob = await gateway.connect({}, "bob");
    const stolen = await bob.callTool("keeper__recall", { gateway_session: one.handle });
    expect(stolen).toMatchObject({ isError: true });
    expect(textOf(stolen)).toContain("no such session any more");
    await Promise.all([ann.close(), bob.close()]);
  });

  it("a session handle stays with a call that elicits input", async () => {
    const gateway = await start({ affinity: "handle" });
    const client = await gateway.connect({ elicit: () => ({ action: "accept", content: { name: "Ann" } }) });
    const result = await client.callTool("keeper__whoami");
    expect(textOf(result)).toContain("hello Ann");
    const handle = result._meta?.["lethe/session"] as string;
    expect((await recall(client, { gateway_session: handle })).kept).toEqual(["Ann"]);
    await client.close();
  });
});

describe("a session for each call", () => {
  it("a session for one call ends with it, also if the call elicits input", async () => {
    const gateway = await start({ affinity: "call" });
    const client = await gateway.connect({ elicit: () => ({ action: "accept", content: { name: "Ann" } }) });
    await client.callTool("keeper__remember", { text: "forgotten" });
    expect((await recall(client)).kept).toEqual([]);
    expect(textOf(await client.callTool("keeper__whoami"))).toBe("hello Ann");
    // Only the gateway's own session remains.
    await expect.poll(keepers, { timeout: 5_000 }).toHaveLength(1);
    await client.close();
  });
});

describe("a server that is killed", () => {
  it("a server that is killed during 1,000 calls leaves no call without a response, and is restarted", async () => {
    const gateway = await start();
    const client = await gateway.connect();
    const [victim] = keepers();
    let answered = 0;
    const outcomes = Array.from({ length: 1_000 }, async (_, index) => {
      // Sends calls in waves: before, during and after the kill.
      while (answered < index - 100) await new Promise((resolve) => setImmediate(resolve));
      if (index === 500) process.kill(victim as number, "SIGKILL");
      return client
        .callTool("keeper__remember", { text: `${index}` })
        .then(
          () => "result",
          (error) => error.data?.reason as string,
        )
        .finally(() => {
          answered += 1;
        });
    });
    const all = await Promise.all(outcomes);
    expect(all.filter((outcome) => outcome === "result").length).toBeGreaterThan(500);
    expect(all.every((outcome) => ["result", "lost", "unavailable"].includes(outcome))).toBe(true);
    const { pid } = await recall(client);
    expect(pid).not.toBe(victim);
    expect(gateway.events.map(({ kind }) => kind)).toEqual(["ready", "failed", "ready"]);
    await client.close();
    await gateway.close();
    running = undefined;
    expect(isAlive(pid)).toBe(false);
    expect(keepers()).toEqual([]);
  });

  it("a killed HTTP server leaves no call without a response, and serves calls again after it returns", async () => {
    published = await startPublished(publishedKeeper);
    const { pid, url } = published;
    const upstream: UpstreamConfig = { kind: "http", name: "keeper", url, headers: {}, sessions: { waitMs: 500 } };
    running = await runGateway({ upstreams: [upstream], circuitBreaker: { firstMs: 20, maxMs: 20 } });
    const client = await running.connect({ retries: false });
    let answered = 0;
    const remember = (text: string): Promise<string> =>
      client
        .callTool("keeper__remember", { text })
        .then(
          () => "result",
          (error) => error.data?.reason as string,
        )
        .finally(() => {
          answered += 1;
        });
    const outcomes = Array.from({ length: 1_000 }, async (_, index) => {
      while (answered < index - 100) await new Promise((resolve) => setImmediate(resolve));
      if (index === 500) process.kill(pid, "SIGKILL");
      return remember(`${index}`);
    });
    const all = await Promise.all(outcomes);
    expect(all.filter((outcome) => outcome === "result").length).toBeGreaterThan(300);
    expect(all.every((outcome) => ["result", "lost", "unavailable"].includes(outcome))).toBe(true);
    published = await startPublished(publishedKeeper, Number(new URL(url).port));
    await expect.poll(() => remember("back"), { timeout: 10_000 }).toBe("result");
    expect(new Set((await recall(client)).kept)).toEqual(new Set(["back"]));
    await client.close();
  });

  it("a server that is killed during an input request causes a typed error for the retry and no second run of the tool", async () => {
    const gateway = await start();
    const client = await gateway.connect({ capabilities: { elicitation: { form: {} } } });
    const question = await client.callTool("keeper__whoami", {}, { manual: true });
    expect(gateway.gateway.pendingCalls.length).toBe(1);
    process.kill(keepers()[0] as number, "SIGKILL");
    await expect.poll(() => gateway.events.filter(({ kind }) => kind === "ready").length).toBe(2);
    const input = {
      requestState: question.requestState as string,
      inputResponses: { q1: { action: "accept", content: { name: "Ann" } } },
    };
    await expect(client.callTool("keeper__whoami", {}, { manual: true, input })).rejects.toMatchObject({
      code: -32603,
      data: { reason: "call_gone", upstream: "keeper" },
    });
    expect(runsOf(gateway, "whoami")).toBe(1);
    expect(gateway.gateway.pendingCalls.length).toBe(0);
    await client.close();
  });

  it("the gateway runs a read-only tool of a killed server again with the given answers if the configuration allows it", async () => {
    const gateway = await start({ rerun: "idempotent" });
    const names = ["first", "second"];
    let asked = 0;
    const client = await gateway.connect({
      async elicit() {
        const name = names[asked++] as string;
        if (asked === 2) {
          process.kill(keepers()[0] as number, "SIGKILL");
          await expect.poll(() => gateway.events.filter(({ kind }) => kind === "ready").length).toBe(2);
        }
        return { action: "accept", content: { name } };
      },
    });
    expect(textOf(await client.callTool("keeper__lookup"))).toBe("found first second");
    expect(asked).toBe(2);
    expect(runsOf(gateway, "lookup")).toBe(2);
    await client.close();
  });
});

describe("a caller that disconnects", () => {
  it("a caller that disconnects cancels its call at the server (J-63)", async () => {
    const gateway = await start();
    const client = await gateway.connect();
    const stop = new AbortController();
    const calling = client.callTool("keeper__wait", {}, { signal: stop.signal });
    await expect.poll(() => runsOf(gateway, "wait")).toBe(1);
    stop.abort();
    await expect(calling).rejects.toMatchObject({ reason: "cancelled" });
    await expect.poll(() => gateway.stderr.get("keeper")?.some((line) => line.startsWith("cancelled "))).toBe(true);
    await client.close();
  });

  it("the gateway abandons the call of a caller that disconnects during an input request, after a timeout", async () => {
    const gateway = await start({}, { pendingTtlMs: 200 });
    const client = await gateway.connect({ capabilities: { elicitation: { form: {} } } });
    await client.callTool("keeper__whoami", {}, { manual: true });
    expect(gateway.gateway.pendingCalls.length).toBe(1);
    await expect.poll(() => gateway.stderr.get("keeper")?.some((line) => line.startsWith("cancelled "))).toBe(true);
    expect(gateway.gateway.pendingCalls.length).toBe(0);
    await client.close();
  });
});
