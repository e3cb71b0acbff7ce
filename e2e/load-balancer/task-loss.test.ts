// Tasks that gateways make of long calls, when the replica that runs them is killed.
import { fileURLToPath } from "node:url";
import type { Client } from "@lethe/client";
import { isJsonObject, isMcpError } from "@lethe/protocol";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { childrenOf } from "../processes/process-tree.ts";
import { type GatewayFleet, startFleet } from "./gateway-fleet.ts";

const counter = fileURLToPath(new URL("../servers/count-v1.mjs", import.meta.url));
const callers = ["ann", "bob", "cid", "dee", "eve"];

let fleet: GatewayFleet;
let clients: Client[];
/** The clients that know their task. */
let tasked: Set<Client>;

beforeEach(async () => {
  tasked = new Set();
  fleet = await startFleet({
    servers: { up: { command: process.execPath, args: [counter] } },
    upstreams: { up: { tasks: "auto", rerun: "idempotent" } },
    callers,
  });
  clients = await Promise.all(callers.map((name) => fleet.connect(name, { tasks: { maxPollMs: 100 } })));
});

afterEach(async () => {
  await fleet.close();
});

async function outcome(client: Client, tool: string): Promise<unknown> {
  try {
    return (await client.callTool(`up__${tool}`, {}, { onTask: () => tasked.add(client) })).content;
  } catch (error) {
    return isMcpError(error) && isJsonObject(error.data) ? error.data.reason : error;
  }
}

const begun = (tool: string) =>
  fleet.lines.flatMap((line) => new RegExp(`began ${tool} in (\\d+)`).exec(line)?.[1] ?? []);
/** Kills the first replica while every caller has a task, and returns how many of the tasks ran there. */
async function killWithTasks(tool: string): Promise<number> {
  await vi.waitFor(() => expect(begun(tool)).toHaveLength(callers.length), 15_000);
  await vi.waitFor(() => expect(tasked.size).toBe(callers.length), 15_000);
  const [killed] = fleet.replicas;
  const pids = childrenOf(killed?.child.pid as number).map(({ pid }) => String(pid));
  killed?.child.kill("SIGKILL");
  return begun(tool).filter((pid) => pids.includes(pid)).length;
}

it("tasks of a killed replica whose tools may run twice complete at another one", async () => {
  const results = Promise.all(clients.map((client) => outcome(client, "read")));
  const lost = await killWithTasks("read");
  expect(await results).toEqual(callers.map(() => [{ type: "text", text: "did read" }]));
  expect(begun("read")).toHaveLength(callers.length + lost);
});

it("tasks of a killed replica whose tools must not run twice fail with a typed error, and run once", async () => {
  const results = Promise.all(clients.map((client) => outcome(client, "change")));
  const lost = await killWithTasks("change");
  const told = await results;
  expect(told.filter((reason) => reason === "task_lost")).toHaveLength(lost);
  expect(told.filter(Array.isArray)).toHaveLength(callers.length - lost);
  expect(begun("change")).toHaveLength(callers.length);
});
