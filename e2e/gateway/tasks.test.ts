// Tasks through the gateway (F): tasks of modern upstreams under the gateway's ids, and tasks that the gateway creates for long calls
// to upstreams without tasks.
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Client } from "@lethe/client";
import { type DetailedTask, isTerminal, type Task, tasksExtension } from "@lethe/protocol";
import type { Server } from "@lethe/server";
import { type Serving, serve } from "@lethe/server/node";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createReports } from "../../examples/reports/src/reports.ts";
import { findFreePort } from "../../packages/redis/src/testing/free-port.ts";
import { startProcess, stopProcess } from "../processes/server.ts";
import { type GatewayPlan, type RunningGateway, runGateway, stdioUpstream } from "./in-process.ts";

const everything = createRequire(import.meta.url)
  .resolve("@modelcontextprotocol/server-everything/package.json")
  .replace("package.json", "dist/index.js");
const surveyor = fileURLToPath(new URL("../servers/surveyor.mjs", import.meta.url));

/** 32 bytes, which replicas share. */
const keys = `k1:${Buffer.alloc(32, 7).toString("base64url")}`;
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(plan: GatewayPlan): Promise<RunningGateway> {
  const running = await runGateway({ callers: ["ann", "bob"], keys, ...plan });
  cleanups.push(() => running.close());
  expect(running.problems).toEqual([]);
  return running;
}

async function serveOwn(server: Server): Promise<string> {
  const serving: Serving = await serve(server, { port: 0 });
  cleanups.push(async () => {
    await serving.close({ graceMs: 0 });
    await server.close();
  });
  return serving.url;
}

async function newClient({ connect }: RunningGateway, caller: string, tone = "sober"): Promise<Client> {
  const elicit = () => ({ action: "accept" as const, content: { tone, name: "Ann", check: true } });
  const client = await connect({ elicit, tasks: { maxPollMs: 100 } }, caller);
  cleanups.push(() => client.close());
  return client;
}

/** The task that continues a call. */
async function begin(client: Client, name: string, args: object = {}): Promise<Task> {
  const task = await client.callTool(name, { ...args }, { manual: true });
  if (task.resultType !== "task") throw new Error(`a task expected, got ${JSON.stringify(task)}`);
  return task as unknown as Task;
}

async function reach(
  client: Client,
  { taskId }: Task,
  isThere: (task: DetailedTask) => boolean,
): Promise<DetailedTask> {
  return vi.waitFor(
    async () => {
      const task = await client.task({ taskId }).get();
      if (!isThere(task)) throw new Error(`still ${JSON.stringify(task)}`);
      return task;
    },
    { interval: 20, timeout: 20_000 },
  );
}

const unknown = { code: -32602, message: "unknown task" };

describe("the task of a modern upstream", () => {
  let effects: string[];
  let url: string;
  /** The requests that the upstream received, by method. */
  let asked: { method: string; name: string | undefined }[];
  beforeEach(async () => {
    effects = [];
    asked = [];
    const press = {
      typeset: async ({ chapter }: { chapter: number }) => void effects.push(`chapter ${chapter}`),
      print: async () => effects.push("print"),
    };
    const reports = createReports({ tasks: { afterMs: 20, pollIntervalMs: 20 }, press, chapterMs: 60 });
    reports.use((next) => (request, exchange) => {
      asked.push({ method: request.method, name: exchange.headers?.("mcp-name") });
      return next(request, exchange);
    });
    url = await serveOwn(reports);
  });
  const plan = (): GatewayPlan => ({ upstreams: [{ kind: "http", name: "reports", url, headers: {} }] });
  const written = { title: "Bugs", issue: 5, chapters: expect.any(Array) };

  it("the task of a modern upstream is polled to its end, requests input and has each effect once", async () => {
    const running = await start(plan());
    const ann = await newClient(running, "ann");
    const told: Task[] = [];
    const args = { title: "Bugs", chapters: 4 };
    const result = await ann.callTool("reports__write_report", args, { onTask: (task) => told.push(task) });
    expect(result.structuredContent).toEqual(written);
    expect(effects).toEqual(["chapter 1", "chapter 2", "chapter 3", "chapter 4", "print"]);
    expect(told.map(({ status }) => status)).toEqual(
      expect.arrayContaining(["working", "input_required", "completed"]),
    );
  });

  it("the task of a modern upstream has an id of the gateway that the upstream does not see and other callers cannot use (F-25, J-55)", async () => {
    const running = await start(plan());
    const [ann, bob] = [await newClient(running, "ann"), await newClient(running, "bob")];
    const task = await begin(ann, "reports__write_report", { title: "Bugs", chapters: 2 });
    expect(task.taskId).toMatch(/^1\.k1\.[\w-]+$/);
    expect(await ann.task(task).get()).toMatchObject({ taskId: task.taskId });
    for (const { name } of asked) expect(name ?? "").not.toContain(task.taskId);
    const others = bob.task(task);
    await expect(others.get()).rejects.toMatchObject(unknown);
    await expect(others.update({})).rejects.toMatchObject(unknown);
    await expect(others.cancel()).rejects.toMatchObject(unknown);
    await expect(ann.task({ taskId: `${task.taskId}x` }).get()).rejects.toMatchObject(unknown);
    await ann.task(task).cancel();
    expect(await reach(ann, task, ({ status }) => isTerminal(status))).toMatchObject({ status: "cancelled" });
  });

  it("the task of a modern upstream is polled, answered and completed on another replica with the same keys", async () => {
    const [one, other] = [await start(plan()), await start(plan())];
    const here = await newClient(one, "ann");
    const there = await newClient(other, "ann", "cheerful");
    const { taskId } = await begin(here, "reports__write_report", { title: "Bugs", chapters: 4 });
    const result = await there.task({ taskId }).result();
    expect(result.structuredContent).toMatchObject({ chapters: expect.arrayContaining(["Chapter 4, cheerful"]) });
    expect(effects.filter((effect) => effect === "print")).toHaveLength(1);
    const bob = await newClient(other, "bob");
    await expect(bob.task({ taskId }).get()).rejects.toMatchObject(unknown);
  });

  it("the task of a modern upstream sends every status to listeners under the gateway's id (F-23)", async () => {
    const running = await start(plan());
    const ann = await newClient(running, "ann");
    const { taskId } = await begin(ann, "reports__write_report", { title: "Bugs", chapters: 60 });
    const told: DetailedTask[] = [];
    const wanted = { toolsListChanged: true, taskIds: [taskId, "somebody else's"] };
    const subscription = await ann.subscribe(wanted, (change) => {
      if (change.kind === "task" && change.task) told.push(change.task as unknown as DetailedTask);
    });
    expect(subscription.honoured).toEqual({ toolsListChanged: true, taskIds: [taskId] });
    await vi.waitFor(() => expect(told.map(({ status }) => status)).toContain("input_required"), { timeout: 10_000 });
    expect(new Set(told.map((task) => task.taskId))).toEqual(new Set([taskId]));
    const bob = await (await newClient(running, "bob")).subscribe(
      { toolsListChanged: true, taskIds: [taskId] },
      () => {},
    );
    expect(bob.honoured.taskIds ?? []).toEqual([]);
  });

  it("the task of a modern upstream is hidden from callers without the extension (F-13), which get a result instead", async () => {
    const running = await start(plan());
    const plain = await running.connect(
      { tasks: false, elicit: () => ({ action: "accept", content: { tone: "sober" } }) },
      "ann",
    );
    cleanups.push(() => plain.close());
    const { taskId } = await begin(await newClient(running, "ann"), "reports__write_report", {
      title: "Bugs",
      chapters: 2,
    });
    const missing = { code: -32021, data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } } };
    await expect(plain.task({ taskId }).get()).rejects.toMatchObject(missing);
    const { structuredContent } = await plain.callTool("reports__write_report", { title: "Plain", chapters: 2 });
    expect(structuredContent).toMatchObject({ title: "Plain" });
  });
});

it("a task survives the SIGKILL of its upstream and of its caller, and each effect happens once (E-31)", async () => {
  const data = await mkdtemp(join(tmpdir(), "lethe-gateway-reports-"));
  cleanups.push(() => rm(data, { recursive: true }));
  const port = String(await findFreePort());
  const startReports = async () => {
    const args = ["--port", port, "--data", data, "--chapter-ms", "400"];
    const child = startProcess("examples/reports/dist/server.js", { args });
    cleanups.push(() => stopProcess(child));
    if (child.stdout) await once(createInterface({ input: child.stdout }), "line");
    return child;
  };
  const killed = await startReports();
  const url = `http://127.0.0.1:${port}/mcp`;
  const running = await start({ upstreams: [{ kind: "http", name: "reports", url, headers: {} }] });
  const ann = await newClient(running, "ann");
  const told: Task[] = [];
  const call = ann.callTool("reports__write_report", { title: "Bugs" }, { onTask: (task) => told.push(task) });
  const messages = () => told.map(({ statusMessage }) => statusMessage);
  await vi.waitFor(() => expect(messages()).toContain("writing chapter 3 of 6"), { timeout: 20_000 });
  const gone = once(killed, "close");
  killed.kill("SIGKILL");
  await gone;
  await startReports();
  expect((await call).structuredContent).toMatchObject({ title: "Bugs", issue: 1 });
  const effects = (await readFile(join(data, "press.jsonl"), "utf8")).trimEnd().split("\n");
  expect(effects.map((line) => JSON.parse(line).chapter ?? "print")).toEqual([1, 2, 3, 4, 5, 6, "print"]);
});

describe("a long call to an upstream without tasks", () => {
  const plan = (tasks: "auto" | "never" = "auto"): GatewayPlan => ({
    upstreams: [stdioUpstream("everything", [everything, "stdio"], { tasks })],
    settings: { tasks: { afterMs: 200 } },
  });

  it("a long call to an upstream without tasks becomes a task with the call's progress as its message, and ends with the call's result", async () => {
    const running = await start(plan());
    const ann = await newClient(running, "ann");
    const told: Task[] = [];
    const args = { duration: 1, steps: 4 };
    const name = "everything__trigger-long-running-operation";
    const result = await ann.callTool(name, args, { onTask: (task) => told.push(task) });
    expect(JSON.stringify(result.content)).toContain("Long running operation completed");
    expect(told.map(({ statusMessage }) => statusMessage)).toContain("3 of 4");
    expect(told.at(-1)?.status).toBe("completed");
  });

  it("a long call to an upstream without tasks returns a result if it is short or if tasks are turned off", async () => {
    const running = await start(plan());
    const ann = await newClient(running, "ann");
    // The first call also starts a process.
    await ann.callTool("everything__echo", { message: "hi" });
    const echoed = await ann.callTool("everything__echo", { message: "hi" }, { manual: true });
    expect(echoed.resultType).toBe("complete");
    const without = await start(plan("never"));
    const client = await newClient(without, "ann");
    const slow = { duration: 0.5, steps: 1 };
    const result = await client.callTool("everything__trigger-long-running-operation", slow, { manual: true });
    expect(result.resultType).toBe("complete");
    // One of its tools runs as a task itself, so the server accepts requests for task ids.
    await expect(client.task({ taskId: "t" }).get()).rejects.toMatchObject(unknown);
  });

  it("a long call to an upstream without tasks is visible to its caller only, and cancelled at the upstream with the task", async () => {
    const running = await start(plan());
    const [ann, bob] = [await newClient(running, "ann"), await newClient(running, "bob")];
    const args = { duration: 30, steps: 1 };
    const task = await begin(ann, "everything__trigger-long-running-operation", args);
    await expect(bob.task(task).get()).rejects.toMatchObject(unknown);
    await expect(bob.task(task).cancel()).rejects.toMatchObject(unknown);
    await ann.task(task).cancel();
    expect(await ann.task(task).get()).toMatchObject({ status: "cancelled", taskId: task.taskId });
  });

  describe("that requests input", () => {
    const asking = (more: Partial<GatewayPlan> = {}): GatewayPlan => ({
      upstreams: [stdioUpstream("surveyor", [surveyor], { tasks: "auto" })],
      settings: { tasks: { afterMs: 100 } },
      ...more,
    });
    const isAsking = ({ status }: DetailedTask) => status === "input_required";
    const isRunning = ({ status, statusMessage = "" }: DetailedTask) =>
      status === "working" && statusMessage.startsWith("measuring");
    const linesOf = (running: RunningGateway) => running.stderr.get("surveyor") ?? [];

    it("a call that becomes a task requests input through it and continues with the answer, so the tool runs once", async () => {
      const running = await start(asking());
      const ann = await newClient(running, "ann");
      const told: Task[] = [];
      const elicit = () => ({ action: "accept" as const, content: { unit: "feet" } });
      const client = await running.connect({ elicit, tasks: { maxPollMs: 50 } }, "ann");
      cleanups.push(() => client.close());
      const result = await client.callTool(
        "surveyor__survey",
        { place: "the lake" },
        { onTask: (task) => told.push(task) },
      );
      expect(result.content).toMatchObject([{ text: "the lake: 12 feet" }]);
      expect(told.map(({ statusMessage }) => statusMessage)).toContain("measuring the lake");
      expect(told.map(({ status }) => status)).toEqual(
        expect.arrayContaining(["working", "input_required", "completed"]),
      );
      expect(linesOf(running)).toEqual(["begun the lake", "ended the lake"]);
      expect(running.gateway.pendingCalls.length).toBe(0);
      await ann.close();
    });

    it("a task of a call accepts each matching answer once and no others (F-14)", async () => {
      const running = await start(asking());
      const ann = await newClient(running, "ann");
      const task = await begin(ann, "surveyor__survey", { place: "the hill" });
      const { inputRequests } = (await reach(ann, task, isAsking)) as DetailedTask & { status: "input_required" };
      const [key = ""] = Object.keys(inputRequests);
      const wrong = ann.task(task).update({ [key]: { roots: [] } });
      await expect(wrong).rejects.toMatchObject({ code: -32602 });
      await ann.task(task).update({ unknown: { action: "accept" } });
      expect(await ann.task(task).get()).toMatchObject({ status: "input_required", inputRequests });
      await ann.task(task).update({ [key]: { action: "accept", content: { unit: "metres" } } });
      await ann.task(task).update({ [key]: { action: "decline" } });
      const end = await reach(ann, task, ({ status }) => isTerminal(status));
      expect(end).toMatchObject({ status: "completed", result: { content: [{ text: "the hill: 12 metres" }] } });
    });

    it.each([
      ["while it runs", isRunning],
      ["while it waits for an answer", isAsking],
    ])("a call that requests input is cancelled at the upstream with its task, %s", async (_when, isThere) => {
      const running = await start(asking());
      const ann = await newClient(running, "ann");
      const task = await begin(ann, "surveyor__survey", { place: "the wood" });
      await reach(ann, task, isThere);
      await ann.task(task).cancel();
      await vi.waitFor(() => expect(linesOf(running)).toEqual(["begun the wood", "cancelled the wood"]));
      expect(await ann.task(task).get()).toMatchObject({ status: "cancelled" });
      expect(running.gateway.pendingCalls.length).toBe(0);
    });

    it("a call requests input by itself until its task exists", async () => {
      const running = await start(asking({ settings: { tasks: { afterMs: 5_000 } } }));
      const elicit = () => ({ action: "accept" as const, content: { unit: "feet" } });
      const [ann, bob] = [await running.connect({ elicit }, "ann"), await running.connect({ elicit }, "bob")];
      cleanups.push(
        () => ann.close(),
        () => bob.close(),
      );
      const first = await bob.callTool("surveyor__survey", { place: "the sea", ms: 1 }, { manual: true });
      expect(first).toMatchObject({ resultType: "input_required", requestState: expect.any(String) });
      const result = await ann.callTool("surveyor__survey", { place: "the sea", ms: 1 });
      expect(result.content).toMatchObject([{ text: "the sea: 12 feet" }]);
    });

    it("a call that requests input stays an ordinary call if the caller has reached its task limit", async () => {
      // A process for each call: in one process, calls that may request input run one after the other.
      const upstreams = [stdioUpstream("surveyor", [surveyor], { tasks: "auto", affinity: "call" })];
      const running = await start(asking({ upstreams, settings: { tasks: { afterMs: 100, maxPerCaller: 1 } } }));
      const ann = await newClient(running, "ann");
      await begin(ann, "surveyor__survey", { place: "one" });
      const second = await ann.callTool("surveyor__survey", { place: "two" }, { manual: true });
      expect(second.resultType).toBe("input_required");
      const bob = await newClient(running, "bob");
      await begin(bob, "surveyor__survey", { place: "three" });
    });

    it("a call that requests input fails its task with a reason when the upstream dies", async () => {
      const running = await start(asking());
      const ann = await newClient(running, "ann");
      const task = await begin(ann, "surveyor__survey", { place: "the moor", ms: 60_000 });
      await reach(ann, task, isRunning);
      const [, session] = running.gateway.upstreams[0]?.sessions ?? [];
      await session?.connection?.close();
      const end = await reach(ann, task, ({ status }) => isTerminal(status));
      expect(end).toMatchObject({
        status: "failed",
        error: { code: -32603, message: expect.stringContaining("surveyor") },
      });
    });
  });
});
