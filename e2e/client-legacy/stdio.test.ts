// Tests the client with real legacy servers over stdio.
import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { InputRequiredResult, JsonRpcNotification, Result } from "@lethe/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectLegacyServer, referenceServer } from "./servers.ts";

type Connected = Awaited<ReturnType<typeof connectLegacyServer>>;

const textOf = (result: Result): string => (result.content as { text: string }[]).map(({ text }) => text).join("\n");
const form = { action: "accept", content: { name: "Ann", check: true } };
const sampled = { role: "assistant", model: "test-model", content: { type: "text", text: "a sampled answer" } };

function asRound(result: Result): { state: string; keys: string[]; asked: InputRequiredResult["inputRequests"] } {
  expect(result.resultType).toBe("input_required");
  const { requestState, inputRequests } = result as InputRequiredResult;
  return { state: requestState ?? "", keys: Object.keys(inputRequests ?? {}), asked: inputRequests };
}

describe("server-everything", () => {
  let server: Connected;
  beforeAll(async () => {
    // It requests roots some time after its start, and on stdio such a request may belong to a call.
    server = await connectLegacyServer(referenceServer("everything"), { roots: [] });
  });
  afterAll(() => server.connection.close());

  it("server-everything is discovered with its own server information", async () => {
    expect(await server.ask("server/discover")).toMatchObject({
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} },
      instructions: expect.stringContaining("Everything Server"),
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "mcp-servers/everything" } },
    });
  });

  it("server-everything lists and runs all its tools, including those for capable clients", async () => {
    const { tools } = (await server.ask("tools/list")) as unknown as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["echo", "trigger-elicitation-request"]));
    expect(textOf(await server.call("echo", { message: "hi" }))).toBe("Echo: hi");
    expect(await server.call("get-structured-content", { location: "New York" })).toHaveProperty("structuredContent");
  });

  it("server-everything reports progress under the caller's token", async () => {
    const seen: JsonRpcNotification[] = [];
    const meta = { progressToken: "mine" };
    const notify = (notification: JsonRpcNotification) => seen.push(notification);
    await server.call("trigger-long-running-operation", { duration: 0.2, steps: 3 }, {}, { meta, notify });
    expect(seen.map(({ params }) => params)).toEqual(
      [1, 2, 3].map((progress) => ({ progressToken: "mine", progress, total: 3 })),
    );
  });

  it("server-everything elicits input during a call and receives the answer", async () => {
    const { state, asked } = asRound(await server.call("trigger-elicitation-request"));
    expect(asked).toHaveProperty("q1.params.requestedSchema.properties.name");
    const more = { requestState: state, inputResponses: { q1: form } };
    expect(textOf(await server.call("trigger-elicitation-request", {}, more))).toContain("Ann");
  });

  it("server-everything sends sampling requests, and sees only the capabilities of the caller", async () => {
    const prompt = { prompt: "p" };
    const { state } = asRound(await server.call("trigger-sampling-request", prompt));
    const more = { requestState: state, inputResponses: { q1: sampled } };
    expect(textOf(await server.call("trigger-sampling-request", prompt, more))).toContain("a sampled answer");
    const refused = await server.call("trigger-sampling-request", prompt, {}, { capabilities: {} });
    expect(refused).toMatchObject({ isError: true });
  });

  it("server-everything sends a URL elicitation", async () => {
    const args = { url: "https://example.com/consent", message: "please" };
    const { state, asked } = asRound(await server.call("trigger-url-elicitation", args));
    expect(asked).toMatchObject({ q1: { params: { mode: "url", url: "https://example.com/consent" } } });
    const more = { requestState: state, inputResponses: { q1: { action: "accept" } } };
    expect(textOf(await server.call("trigger-url-elicitation", args, more))).toContain("https://example.com/consent");
  });

  it("server-everything serves concurrent calls that elicit input", async () => {
    const answers = [1, 2, 3].map(async (caller) => {
      const { state, keys } = asRound(await server.call("trigger-elicitation-request"));
      const content = { name: `caller ${caller}`, check: true };
      const inputResponses = Object.fromEntries(keys.map((key) => [key, { action: "accept", content }]));
      const result = await server.call("trigger-elicitation-request", {}, { requestState: state, inputResponses });
      expect(textOf(result)).toContain(`caller ${caller}`);
    });
    await Promise.all(answers);
  });

  it("server-everything rejects unknown tools and methods", async () => {
    await expect(server.ask("resources/read", { uri: "test://nowhere" })).rejects.toMatchObject({ code: -32602 });
    await expect(server.ask("prompts/get", { name: "none" })).rejects.toMatchObject({ code: -32602 });
    await expect(server.ask("tasks/list")).rejects.toMatchObject({ code: -32601 });
    // It has core tasks, which only clients that declare tasks see (D-38, F-13).
    await expect(server.ask("tasks/get", { taskId: "1" })).rejects.toMatchObject({ code: -32021 });
  });

  it("server-everything cancels a call when its caller cancels", async () => {
    const controller = new AbortController();
    const long = server.call(
      "trigger-long-running-operation",
      { duration: 60, steps: 2 },
      {},
      { signal: controller.signal },
    );
    controller.abort();
    await expect(long).rejects.toMatchObject({ reason: "cancelled" });
  });

  it("server-everything notifies a subscriber of its resource", async () => {
    const uri = "demo://resource/dynamic/text/1";
    const controller = new AbortController();
    const heard: JsonRpcNotification[] = [];
    const listening = server.ask(
      "subscriptions/listen",
      { notifications: { resourceSubscriptions: [uri], toolsListChanged: true } },
      { signal: controller.signal, notify: (notification) => heard.push(notification) },
    );
    await expect.poll(() => heard.length).toBeGreaterThan(0);
    expect(heard[0]?.params).toMatchObject({ notifications: { resourceSubscriptions: [uri], toolsListChanged: true } });
    await server.call("toggle-subscriber-updates");
    await expect.poll(() => heard.at(-1)?.params, { timeout: 15_000 }).toMatchObject({ uri });
    controller.abort();
    await expect(listening).rejects.toMatchObject({ reason: "cancelled" });
    await server.call("toggle-subscriber-updates");
  });
});

describe("server-memory", () => {
  it("server-memory keeps its state between calls, because they reach the same process", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lethe-"));
    const target = { ...referenceServer("memory"), env: { MEMORY_FILE_PATH: join(folder, "memory.json") } };
    const { connection, call } = await connectLegacyServer(target);
    const entities = [{ name: "Lethe", entityType: "river", observations: ["flows in Hades"] }];
    await call("create_entities", { entities });
    expect(textOf(await call("read_graph"))).toContain("flows in Hades");
    await connection.close();
    rmSync(folder, { recursive: true });
  });
});

describe("server-filesystem", () => {
  it("server-filesystem requests roots at its start, receives the configured ones and reads within them", async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "lethe-")));
    writeFileSync(join(folder, "a.txt"), "forgotten");
    const roots = [{ uri: `file://${folder}` }];
    const { connection, call } = await connectLegacyServer(referenceServer("filesystem"), { roots });
    await expect.poll(async () => textOf(await call("list_allowed_directories"))).toContain(folder);
    expect(textOf(await call("read_text_file", { path: join(folder, "a.txt") }))).toBe("forgotten");
    expect(await call("read_text_file", { path: "/etc/passwd" })).toMatchObject({ isError: true });
    await connection.close();
    rmSync(folder, { recursive: true });
  });
});

describe("a legacy stdio connection", () => {
  it("a legacy stdio connection leaves no process behind when it is closed", async () => {
    const { connection, pid } = await connectLegacyServer(referenceServer("everything"));
    await connection.close();
    expect(spawnSync("ps", ["-A", "-o", "pgid="], { encoding: "utf8" }).stdout.split("\n").map(Number)).not.toContain(
      pid,
    );
  });

  it("a legacy stdio connection rejects pending calls when its server is killed, naming the program and the signal", async () => {
    const { connection, pid, call } = await connectLegacyServer(referenceServer("everything"));
    const running = call("trigger-long-running-operation", { duration: 60, steps: 2 });
    process.kill(pid, "SIGKILL");
    await expect(running).rejects.toMatchObject({
      message: expect.stringMatching(/server-everything.* was killed by SIGKILL/),
    });
    await connection.closed;
    await connection.close();
  });
});
