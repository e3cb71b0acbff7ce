// Tests the gateway's verdicts on real servers of every kind, and their effects.
import { fileURLToPath } from "node:url";
import type { UpstreamConfig } from "lethe/gateway";
import { afterEach, describe, expect, it } from "vitest";
import { runLethe, startGateway } from "../processes/lethe.ts";
import type { Fixture } from "../servers/fixture.ts";
import { startSingleV1, startStatefulV1, startStatelessV1 } from "../servers/official-v1.ts";
import { startV2 } from "../servers/official-v2.ts";
import { httpServers, startPublished, stdioServers } from "../servers/published.ts";
import { startSwitch } from "../servers/switch.ts";
import { type GatewayPlan, type RunningGateway, runGateway, stdioUpstream } from "./in-process.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function run(upstreams: readonly UpstreamConfig[], plan: Partial<GatewayPlan> = {}): Promise<RunningGateway> {
  const running = await runGateway({ upstreams, probeTimeoutMs: 30_000, ...plan });
  cleanups.push(running.close);
  return running;
}

const remote = (name: string, url: string, more: Partial<UpstreamConfig> = {}): UpstreamConfig =>
  ({ kind: "http", name, url, headers: {}, ...more }) as UpstreamConfig;

async function published(name: keyof typeof httpServers): Promise<string> {
  const server = await startPublished(httpServers[name]);
  cleanups.push(server.stop);
  return server.url;
}

async function own(start: () => Promise<Fixture>): Promise<Fixture> {
  const fixture = await start();
  cleanups.push(fixture.close);
  return fixture;
}

const verdictsOf = ({ gateway }: RunningGateway) =>
  Object.fromEntries(
    gateway.upstreams.map(({ name, verdict }) => [
      name,
      [verdict?.word, verdict?.sharing, verdict?.contract, verdict?.source, verdict?.transport],
    ]),
  );

describe("the verdicts at the start", () => {
  it("verdicts on published HTTP servers come from the probe, but not over HTTP+SSE, where a probe could do harm", async () => {
    const names = ["everything", "fastmcpStateless", "context7", "supergateway", "everythingSse"] as const;
    const urls = await Promise.all(names.map(published));
    const gateway = await run(names.map((name, index) => remote(name.toLowerCase(), urls[index] as string)));
    expect(verdictsOf(gateway)).toEqual({
      everything: ["STATEFUL", "session", "enforced", "probe", "streamable-http"],
      fastmcpstateless: ["STATELESS", "shared", "none", "probe", "streamable-http"],
      context7: ["STATELESS", "shared", "none", "probe", "streamable-http"],
      supergateway: ["STATELESS", "shared", "none", "probe", "streamable-http"],
      everythingsse: ["STATEFUL", "session", "enforced", "connection", "http-sse"],
    });
  });

  it("verdicts on stdio servers come from the first connection, without a process for the probe", async () => {
    const { everything, filesystem } = stdioServers;
    const modern = fileURLToPath(new URL("../servers/official-v2-stdio.mjs", import.meta.url));
    const gateway = await run([
      stdioUpstream("everything", everything.args),
      stdioUpstream("filesystem", filesystem.args),
      stdioUpstream("modern", [modern]),
    ]);
    expect(verdictsOf(gateway)).toEqual({
      everything: ["STATEFUL", "session", "process", "connection", "stdio"],
      filesystem: ["STATEFUL", "session", "process", "connection", "stdio"],
      modern: ["STATELESS", "session", "none", "connection", "stdio"],
    });
  });

  it("verdicts on SDK servers are correct, and the probe leaves no session", async () => {
    const fixtures = {
      stateful: await own(startStatefulV1),
      stateless: await own(startStatelessV1),
      single: await own(startSingleV1),
      both: await own(() => startV2("stateless")),
      modern: await own(() => startV2("reject")),
    };
    const gateway = await run(Object.entries(fixtures).map(([name, { url }]) => remote(name, url)));
    expect(verdictsOf(gateway)).toEqual({
      stateful: ["STATEFUL", "session", "enforced", "probe", "streamable-http"],
      stateless: ["STATELESS", "shared", "none", "probe", "streamable-http"],
      single: ["STATEFUL", "single", "single-tenant", "probe", "streamable-http"],
      both: ["STATELESS", "shared", "none", "probe", "streamable-http"],
      modern: ["STATELESS", "shared", "none", "probe", "streamable-http"],
    });
    expect([fixtures.stateful.sessions(), fixtures.single.sessions()]).toEqual([1, 1]);
  });
});

it("a server with a single session serves all callers in turn", async () => {
  const single = await own(startSingleV1);
  const gateway = await run([remote("up", single.url)], { callers: ["ann", "bob"] });
  const clients = await Promise.all(["ann", "bob"].map((name) => gateway.connect({}, name)));
  const calls = clients.flatMap((client) =>
    ["1", "2", "3"].map(async (text) => (await client.callTool("up__echo", { text })).content),
  );
  expect(await Promise.all(calls)).toEqual(["1", "2", "3", "1", "2", "3"].map((text) => [{ type: "text", text }]));
  expect(single.sessions()).toBe(1);
  await Promise.all(clients.map((client) => client.close()));
});

describe("a server that changes", () => {
  const callers = ["ann", "bob"];

  it("a server that becomes stateful gets a new verdict without dropping a pending call", async () => {
    const [stateless, stateful] = [await own(startStatelessV1), await own(startStatefulV1)];
    const front = await startSwitch(stateless.url);
    cleanups.push(front.close);
    const gateway = await run([remote("up", front.url)], { callers });
    expect(verdictsOf(gateway).up).toEqual(["STATELESS", "shared", "none", "probe", "streamable-http"]);
    const [ann, bob] = [await gateway.connect({}, "ann"), await gateway.connect({}, "bob")];
    const held = front.holdNext();
    const running = ann.callTool("up__echo", { text: "held" });
    await held.begun;

    front.to(stateful.url);
    await expect(bob.callTool("up__echo", { text: "refused" })).rejects.toThrow("No valid session ID");
    await expect
      .poll(() => gateway.events.filter(({ kind }) => kind === "verdict"))
      .toMatchObject([
        { upstream: "up", was: "shared", sharing: "session", doubt: "it refused a request without a session (-32000)" },
      ]);
    expect(await ann.callTool("up__echo", { text: "ann" })).toMatchObject({ content: [{ text: "ann" }] });
    expect(await bob.callTool("up__echo", { text: "bob" })).toMatchObject({ content: [{ text: "bob" }] });
    held.letGo();
    expect(await running).toMatchObject({ content: [{ text: "held" }] });
    // The sessions of ann, of bob and of the gateway.
    await expect.poll(stateful.sessions).toBe(3);
    await Promise.all([ann.close(), bob.close()]);
  });

  it("the gateway calls a server that becomes dual-era in the modern era", async () => {
    const [old, both] = [await own(startStatefulV1), await own(() => startV2("stateless"))];
    const front = await startSwitch(old.url);
    cleanups.push(front.close);
    const gateway = await run([remote("up", front.url)], { callers });
    expect(verdictsOf(gateway).up?.slice(0, 2)).toEqual(["STATEFUL", "session"]);
    front.to(both.url);
    // The connection of a new caller begins no session.
    const ann = await gateway.connect({}, "ann");
    await ann.callTool("up__echo", { text: "x" });
    const [upstream] = gateway.gateway.upstreams;
    await expect.poll(() => [upstream?.verdict?.era, upstream?.connection?.era]).toEqual(["modern", "modern"]);
    expect(await ann.callTool("up__echo", { text: "x" })).toMatchObject({ content: [{ text: "x" }] });
    await ann.close();
  });

  it("the gateway calls a server that changes its revision back and forth in its current one", async () => {
    const [modern, old] = [await own(() => startV2("reject")), await own(startStatefulV1)];
    const front = await startSwitch(modern.url);
    cleanups.push(front.close);
    const gateway = await run([remote("up", front.url)], { probeAgainMs: 1 });
    const client = await gateway.connect();
    const echo = () =>
      client.callTool("up__echo", { text: "x" }).then(({ content }) => JSON.stringify(content), String);
    expect(await echo()).toContain('"x"');
    for (const [server, era] of [
      [old, "legacy"],
      [modern, "modern"],
    ] as const) {
      front.to(server.url);
      await expect.poll(echo).toContain('"x"');
      await expect.poll(() => gateway.gateway.upstreams[0]?.verdict?.era).toBe(era);
      await expect.poll(() => gateway.gateway.upstreams[0]?.connection?.era).toBe(era);
    }
    await client.close();
  });
});

describe("a configured verdict", () => {
  it("the gateway accepts a configured verdict without a probe", async () => {
    const fixture = await own(startStatelessV1);
    const front = await startSwitch(fixture.url);
    cleanups.push(front.close);
    const policies = [{ sharing: "session" }, { affinity: "call" }, { sharing: "single" }] as const;
    const gateway = await run(policies.map((policy, index) => remote(`s${index}`, front.url, policy)));
    expect(gateway.gateway.upstreams.map(({ verdict }) => [verdict?.sharing, verdict?.source])).toEqual([
      ["session", "configuration"],
      ["shared", "connection"],
      ["single", "configuration"],
    ]);
    // Only the probe sends an invented session id.
    expect(front.seen.filter(({ sessionId }) => sessionId !== undefined)).toEqual([]);
  });

  it("the gateway checks a configured verdict that harms callers and overrides it with a warning", async () => {
    const fixture = await own(startStatefulV1);
    const gateway = await run([remote("up", fixture.url, { sharing: "shared" })], { callers: ["ann"] });
    expect(verdictsOf(gateway).up).toEqual(["STATEFUL", "session", "enforced", "probe", "streamable-http"]);
    expect(gateway.gateway.upstreams[0]?.verdict?.warnings).toEqual([
      'the configuration says "sharing": "shared", but it answers only within the session that it began; the gateway treats it as "session"',
    ]);
    const client = await gateway.connect({}, "ann");
    await client.callTool("up__echo", { text: "x" });
    expect(fixture.sessions()).toBe(2);
    await client.close();
  });

  it("the gateway excludes a server with an unsupported configured era, with a log line", async () => {
    const fixture = await own(startStatelessV1);
    const gateway = await run([remote("up", fixture.url, { era: "modern" })]);
    expect(gateway.events).toMatchObject([
      { kind: "failed", reason: expect.stringContaining("does not speak the modern era (2026-07-28)") },
    ]);
  });
});

it("without probing, the verdict on a server follows its connections, even after a change", async () => {
  const [stateless, stateful] = [await own(startStatelessV1), await own(startStatefulV1)];
  const front = await startSwitch(stateless.url);
  cleanups.push(front.close);
  const gateway = await run([remote("up", front.url)], { settings: { probe: false } });
  expect(verdictsOf(gateway).up).toEqual(["STATELESS", "shared", undefined, "connection", "streamable-http"]);
  expect(front.seen.filter(({ sessionId }) => sessionId !== undefined)).toEqual([]);
  front.to(stateful.url);
  const client = await gateway.connect();
  await client.callTool("up__echo", { text: "x" }).catch(() => {});
  await expect.poll(() => verdictsOf(gateway).up?.slice(0, 2)).toEqual(["STATEFUL", "session"]);
  expect(await client.callTool("up__echo", { text: "x" })).toMatchObject({ content: [{ text: "x" }] });
  await client.close();
});

describe("the table printed by npm start", () => {
  const config = "examples/gateway/servers.json";

  it("the table printed by npm start lists the verdict, handling and consequences of three real servers", async () => {
    const gateway = await startGateway(config);
    cleanups.push(() => gateway.stop());
    const { stdout, stderr } = gateway.output;
    const rows = stdout.split("\n").filter((line) => line.includes("STATEFUL"));
    expect(rows.map((row) => row.trim().split(/ {2,}/))).toEqual(
      ["everything", "files", "memory"].map((name) => [
        ...[name, "stdio", "2025-11-25 legacy", "STATEFUL", "one process for all: no gateway.auth"],
        ...[expect.stringMatching(/^[1-9]\d*$/), expect.stringMatching(/^\d+$/), expect.stringMatching(/^\d+$/)],
      ]),
    );
    expect(new Set(rows.map((row) => row.indexOf("STATEFUL"))).size).toBe(1);
    expect(new Set(rows.map((row) => row.length)).size).toBe(1);
    expect(stdout).toContain("! everything, files, memory: without gateway.auth callers are anonymous");
    expect(stdout).not.toContain("\u001b");
    expect(stderr).not.toContain("without gateway.auth");
    expect((await runLethe("call", gateway.url, "memory__read_graph")).code).toBe(0);
  });

  it("the table printed by npm start contains only verdicts and warnings as JSON", async () => {
    const gateway = await startGateway(config, "--log", "json");
    cleanups.push(() => gateway.stop());
    const lines = gateway.output.stderr
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ event }) => event === "upstream.verdict")).toMatchObject(
      ["everything", "files", "memory"].map((upstream) => ({
        ...{ level: "info", upstream, word: "STATEFUL", sharing: "session", contract: "process", source: "connection" },
      })),
    );
    expect(lines.filter(({ event }) => event === "upstream.stateful")).toHaveLength(1);
  });
});
