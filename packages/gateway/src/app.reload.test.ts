import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tasksExtension } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import { serveGateway } from "./app.ts";
import { readConfig } from "./config/read-config.ts";
import { parseSourceFile } from "./config/source-file.ts";
import { toConfig } from "./config/to-config.ts";
import type { FileUpstream } from "./config/upstream-config.ts";
import { operate, startUpstreams } from "./testing/operated.ts";
import { ci, keys, toolsOf, useTwoUpstreams } from "./testing/two-upstreams.ts";

const fixture = useTwoUpstreams();
const { documentOf } = fixture;

describe("a reload", () => {
  it("adds, removes and changes servers while a call to another server runs", async () => {
    const own = await startUpstreams("a", "b", "c");
    const at = (name: string) => ({ url: own.urls[name] });
    await using gateway = await operate({ mcpServers: { a: at("a"), b: at("b") } });
    const running = gateway.ask("tools/call", { name: "a__hold" });
    await expect.poll(() => own.holding).toBe(1);
    const kept = gateway.served.gateway.upstreams[0];
    gateway.write({ mcpServers: { a: at("a"), c: at("c") }, gateway: { upstreams: { c: { prefix: "see" } } } });
    expect(await gateway.served.reload()).toEqual({ isApplied: true, problems: [] });
    await expect.poll(async () => toolsOf(await gateway.ask("tools/list"))).toContain("see__read");
    expect(toolsOf(await gateway.ask("tools/list"))).not.toContain("b__read");
    expect((await gateway.ask("tools/list", {}, { path: "/mcp/c" })).status).toBe(200);
    expect((await gateway.get("/mcp/b")).status).toBe(404);
    expect(gateway.served.gateway.upstreams[0]).toBe(kept);
    expect(gateway.log.find(({ event }) => event === "config.applied")?.message).toBe(
      "the configuration is applied: added c; removed b",
    );
    own.letGo();
    expect((await running).body.result.content).toEqual([{ type: "text", text: "a held" }]);
    await own[Symbol.asyncDispose]();
  });

  it("shows sessions of earlier configurations as ending until they are done", async () => {
    const own = await startUpstreams("a", "b");
    const [a, b] = ["a", "b"].map((name) => ({ url: own.urls[name] }));
    await using gateway = await operate({ mcpServers: { a, b } });
    const running = ["a", "b"].map((name) => gateway.ask("tools/call", { name: `${name}__hold` }));
    await expect.poll(() => own.holding).toBe(2);
    gateway.write({ mcpServers: { a: { ...a, headers: { "x-new": "yes" } } } });
    await gateway.served.reload();
    const [changed] = gateway.served.gateway.upstreams;
    await changed?.start();
    const { sessions, upstreams: listed } = gateway.served.view();
    expect(sessions).toMatchObject([
      { upstream: "a", isEnding: false },
      { upstream: "a", isEnding: true, users: 1 },
      { upstream: "b", isEnding: true, users: 1 },
    ]);
    expect(listed).toMatchObject([{ name: "a", sessions: 2 }]);
    own.letGo();
    await Promise.all(running);
    await expect.poll(() => gateway.served.view().sessions).toMatchObject([{ upstream: "a", isEnding: false }]);
    await own[Symbol.asyncDispose]();
  });

  it("lets running calls of a removed server finish", async () => {
    const own = await startUpstreams("a", "b");
    const at = (name: string) => ({ url: own.urls[name] });
    await using gateway = await operate({ mcpServers: { a: at("a"), b: at("b") } });
    const running = gateway.ask("tools/call", { name: "a__hold" });
    await expect.poll(() => own.holding).toBe(1);
    gateway.write({ mcpServers: { b: at("b") } });
    await gateway.served.reload();
    expect((await gateway.ask("tools/call", { name: "a__read" })).body.error.message).toBe("unknown tool: a__read");
    own.letGo();
    expect((await running).body.result.content).toEqual([{ type: "text", text: "a held" }]);
    await own[Symbol.asyncDispose]();
  });

  it("lets a call and a task of a changed server finish, even with a short grace time", async () => {
    const own = await startUpstreams("a");
    const documentWith = (header: string) => ({
      mcpServers: { a: { url: own.urls.a, headers: { "x-new": header } } },
      gateway: { shutdown: { graceMs: 0 }, tasks: { afterMs: 0 }, upstreams: { a: { tasks: "auto" } } },
    });
    await using gateway = await operate(documentWith("no"));
    const capabilities = { extensions: { [tasksExtension]: {} } };
    const running = gateway.ask("tools/call", { name: "a__hold" });
    const { taskId } = (await gateway.ask("tools/call", { name: "a__hold" }, { capabilities })).body.result;
    await expect.poll(() => own.holding).toBe(2);
    gateway.write(documentWith("yes"));
    await gateway.served.reload();
    await gateway.served.gateway.upstreams[0]?.start();
    expect(gateway.served.gateway.retiring).toHaveLength(1);
    own.letGo();
    expect((await running).body.result.content).toEqual([{ type: "text", text: "a held" }]);
    const taskOf = async () => (await gateway.ask("tasks/get", { taskId }, { capabilities })).body.result;
    await expect.poll(taskOf).toMatchObject({ status: "completed", result: { content: [{ text: "a held" }] } });
    await expect.poll(() => gateway.served.gateway.retiring).toEqual([]);
    await own[Symbol.asyncDispose]();
  });

  it("applies changed keys and rules at once", async () => {
    await using gateway = await operate(documentOf());
    expect((await gateway.ask("tools/list")).status).toBe(200);
    gateway.write(documentOf({ auth: { keys }, policy: [{ effect: "allow", tools: ["read"] }] }));
    await gateway.served.reload();
    expect((await gateway.ask("tools/list")).status).toBe(401);
    expect(toolsOf(await gateway.ask("tools/list", {}, { key: ci }))).toEqual(["gh__read", "fs__read"]);
  });

  it("still masks the secrets of the previous configuration", async () => {
    const script = `
      const say = (words) => console.error(words + " " + process.env.API_TOKEN);
      say("my token is");
      process.stdin.on("end", () => say("my token was"));
      require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id, method } = JSON.parse(line);
        const result = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "says", version: "1" } };
        const answer = method === "initialize" ? { result } : { error: { code: -32601, message: "method not found" } };
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
      });
    `;
    const withToken = (API_TOKEN: string) => ({
      mcpServers: { says: { command: process.execPath, args: ["-e", script], env: { API_TOKEN } } },
      gateway: { probe: false },
    });
    await using gateway = await operate(withToken("token-of-yesterday"));
    const stderr = async () => (await (await gateway.get("/admin/v1/upstreams/says")).json()).stderr;
    await expect.poll(stderr).toContain("my token is ***");
    gateway.write(withToken("token-of-today"));
    await gateway.served.reload();
    // What the process of before writes at its end.
    await expect.poll(stderr).toContain("my token was ***");
    expect(JSON.stringify([await stderr(), gateway.log])).not.toContain("yesterday");
  });

  it("reports a configuration with errors and changes nothing", async () => {
    await using gateway = await operate(documentOf());
    gateway.write({ mcpServers: { gh: {} }, gateway: { prot: 1 } });
    const outcome = await (
      await fetch(new URL("/admin/v1/config/reload", gateway.served.url), { method: "POST" })
    ).json();
    expect(outcome).toEqual({
      isApplied: false,
      problems: [expect.stringContaining("gh"), expect.stringContaining("prot")],
    });
    expect(gateway.log.filter(({ event }) => event === "config.refused")).toHaveLength(3);
    expect(toolsOf(await gateway.ask("tools/list"))).toHaveLength(6);
    expect(await (await gateway.get("/metrics")).text()).toContain('lethe_config_reloads_total{outcome="refused"} 1');
  });

  it("reports a configuration that cannot be applied and still reads the next one", async () => {
    const right = toConfig([parseSourceFile("lethe.json", JSON.stringify(documentOf()))], { environment: {} });
    const [upstream] = right.config.upstreams as [FileUpstream];
    const wrong = { ...right, config: { upstreams: [{ ...upstream, url: "no url" } as FileUpstream] } };
    let next = right;
    const served = await serveGateway({ load: async () => next, settings: { port: 0 }, watches: false });
    next = wrong;
    expect(await served.reload()).toEqual({ isApplied: false, problems: [expect.stringContaining("Invalid URL")] });
    next = right;
    expect(await served.reload()).toMatchObject({ isApplied: true });
    await served.close();
  });

  it("applies the restart settings of the configuration to failing servers", async () => {
    const document = {
      mcpServers: { off: { url: "http://127.0.0.1:1/mcp" }, gh: { url: fixture.upstreams.urls.gh } },
      gateway: { restart: { firstMs: 90_000, maxMs: 60_000 } },
    };
    await using gateway = await operate(document);
    const failed = gateway.log.find(({ event }) => event === "upstream.failed");
    expect(failed?.restartInMs).toBeGreaterThanOrEqual(30_000);
    expect(failed?.restartInMs).toBeLessThanOrEqual(60_000);
  });

  it("logs which changed settings only a restart applies", async () => {
    await using gateway = await operate(documentOf());
    gateway.write(documentOf({ host: "localhost", limits: { maxStreams: 5 }, probe: false }));
    await gateway.served.reload();
    expect(gateway.log.find(({ event }) => event === "config.restart")?.message).toBe(
      "only a restart applies the change of host, limits, probe",
    );
  });

  it("repeats that warning until the change is reverted", async () => {
    await using gateway = await operate(documentOf());
    const reminders = async (settings: object) => {
      gateway.write(documentOf(settings));
      const from = gateway.log.length;
      await gateway.served.reload();
      const found = gateway.log.slice(from).filter(({ event }) => event === "config.restart");
      return found.map(({ message }) => message);
    };
    const reminder = "only a restart applies the change of host";
    expect(await reminders({ host: "localhost" })).toEqual([reminder]);
    expect(await reminders({ host: "localhost", card: { title: "x" } })).toEqual([reminder]);
    expect(await reminders({})).toEqual([]);
  });
});

describe("the watched files", () => {
  it("are the files of the active configuration", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lethe-served-"));
    const file = join(folder, "lethe.json");
    const write = (gateway: object, env = {}) =>
      writeFileSync(
        file,
        JSON.stringify({
          mcpServers: { gh: { url: fixture.upstreams.urls.gh }, off: { command: "true", disabled: true, ...env } },
          gateway,
        }),
      );
    write({});
    const messages: string[] = [];
    const served = await serveGateway({
      load: () => readConfig([file], { environment: {} }),
      settings: { port: 0 },
      log: ({ event, message = "" }) => messages.push(`${event} ${message}`),
    });
    const applied = () => messages.filter((message) => message.startsWith("config.applied")).length;
    write({ upstreams: { gh: { prefix: "a" } } });
    await expect.poll(applied).toBe(1);
    writeFileSync(join(folder, ".env"), "A=1");
    const withEnv = { off: { command: process.execPath, args: ["-e", ""], envFile: ".env" } };
    writeFileSync(file, JSON.stringify({ mcpServers: { gh: { url: fixture.upstreams.urls.gh }, ...withEnv } }));
    await expect.poll(applied).toBe(2);
    writeFileSync(join(folder, ".env"), "A=2");
    await expect.poll(applied).toBe(3);
    expect(messages.at(-1) ?? "").not.toBe("");
    expect(messages).toContain("config.applied the configuration is applied: changed off");
    await served.close();
    rmSync(folder, { recursive: true });
  });
});
