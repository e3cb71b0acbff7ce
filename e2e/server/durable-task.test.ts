// A task that sleeps and waits for a callback outlives the processes that run it.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { connect } from "@lethe/client/node";
import { isTaskResult } from "@lethe/protocol";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { findFreePort } from "../../packages/redis/src/testing/free-port.ts";
import { startProcess, stopProcess } from "../processes/server.ts";

const children: ChildProcess[] = [];
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lethe-durable-"));
  await writeFile(join(folder, "effects"), "");
});

afterEach(async () => {
  await Promise.all(children.splice(0).map(stopProcess));
  await rm(folder, { recursive: true });
});

/** Starts a process on the same store, at the same address. */
async function start(port: number): Promise<ChildProcess> {
  const args = [join(folder, "tasks.mdb"), join(folder, "effects"), String(port), `http://127.0.0.1:${port}/callbacks`];
  const env = { LETHE_KEYS: `k1:${Buffer.alloc(32, 5).toString("base64url")}` };
  const child = startProcess("e2e/server/durable-server.mjs", { args, env });
  children.push(child);
  await once(createInterface({ input: child.stdout as NonNullable<ChildProcess["stdout"]> }), "line");
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, "close");
  child.kill("SIGKILL");
  await gone;
}

/** The lines of the file of effects, when there are `count` of them. */
async function effects(count: number): Promise<string[][]> {
  const read = async () => (await readFile(join(folder, "effects"), "utf8")).split("\n").slice(0, -1);
  await vi.waitFor(async () => expect(await read()).toHaveLength(count), 20_000);
  return (await read()).map((line) => line.split(" "));
}

it("a task continues after kill -9 during its sleep and while it waits for a callback, and repeats no step", async () => {
  const port = await findFreePort();
  const first = await start(port);
  const client = await connect(`http://127.0.0.1:${port}/mcp`, { tasks: { maxPollMs: 100 } });
  const task = await client.callTool("approve", {}, { manual: true });
  if (!isTaskResult(task)) throw new Error("the call is no task");
  await effects(1);
  await kill(first);
  const second = await start(port);
  const [, , [, asked, url] = []] = await effects(3);
  expect(asked).toBe(String(second.pid));
  await kill(second);
  await start(port);
  const post = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ by: "Ada" }) };
  expect((await fetch(String(url), post)).status).toBe(200);
  expect((await client.task(task).result()).content).toEqual([{ type: "text", text: "approved by Ada" }]);
  expect((await effects(3)).map(([name]) => name)).toEqual(["began", "woke", "asked"]);
  await client.close();
}, 60_000);
