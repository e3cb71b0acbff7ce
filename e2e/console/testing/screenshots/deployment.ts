// The deployment that the screenshots show: three replicas with Redis, five upstreams of both eras, callers, and their traffic.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@lethe/client";
import { type GatewayFleet, startFleet, toKey } from "../../../load-balancer/gateway-fleet.ts";
import { startServer } from "../../../processes/server.ts";

/** Relative, so that pictures show no folder of this machine. */
const files = "examples/gateway/files";
/** Two upstreams list it, so requests name one of them. */
export const shownResource = "demo://resource/static/document/features.md";
const callers = ["ada", "build-agent", "support-bot"];
/** Long enough for several steps of the series. */
const trafficMs = 20_000;

const support = {
  upstreams: ["tracker", "memory"],
  tools: { deny: ["delete_*"] },
  policy: [{ effect: "allow", callers: ["key ada", "key support-bot"] }],
};

export interface ShownDeployment {
  /** Of one replica, without a trailing slash. */
  readonly origin: string;
  readonly callerKey: string;
  close(): Promise<void>;
}

/** Pictures show the command, so it names no folder of this machine. */
function published(name: string, ...args: string[]) {
  return { command: "node", args: [`node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, ...args] };
}

export async function startShownDeployment(): Promise<ShownDeployment> {
  const folder = await mkdtemp(join(tmpdir(), "lethe-shown-"));
  const tracker = await startServer("examples/tracker/dist/server.js", { args: ["--port", "0", "--bugs", "12"] });
  const fleet = await startFleet({
    servers: {
      everything: published("everything", "stdio"),
      research: published("everything", "stdio"),
      files: published("filesystem", files),
      memory: { ...published("memory"), env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") } },
      tracker: { url: tracker.url },
      // The connection is refused.
      billing: { url: "http://127.0.0.1:9/mcp" },
    },
    upstreams: {
      everything: { elicits: ["trigger-*"] },
      research: { tasks: "auto", tools: { allow: ["simulate-research-query", "trigger-long-running-operation"] } },
    },
    settings: { admin: { bodies: true }, endpoints: { support } },
    callers,
  });
  await callForAWhile(fleet);
  return {
    origin: new URL(fleet.replicas[0]?.url ?? "").origin,
    callerKey: toKey("ada"),
    async close() {
      await fleet.close();
      await tracker.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function callForAWhile(fleet: GatewayFleet): Promise<void> {
  const end = Date.now() + trafficMs;
  const clients = await Promise.all(callers.map((caller) => fleet.connect(caller, { tasks: true })));
  const ends = clients.map(async (client, index) => {
    for (let count = 0; Date.now() < end; count += 1) {
      await Promise.allSettled(workOf(client, count));
      await sleep(150 * (index + 1) * (1 + Math.sin(Date.now() / 6_000) / 2));
    }
  });
  await Promise.all(ends);
}
function workOf(client: Client, count: number): Promise<unknown>[] {
  const calls = [
    () => client.callTool("everything__get-sum", { a: count, b: 2 }),
    () => client.callTool("memory__read_graph", {}),
    () => client.callTool("tracker__list_bugs", {}),
    () => client.callTool("files__list_directory", { path: "." }),
    // Some bugs do not exist, so that the pictures show errors.
    () => client.callTool("tracker__get_bug", { id: 1 + (count % 15) }),
    () => client.readResource(`everything+${shownResource}`),
  ];
  return [count % 6, (count * 5 + 2) % 6].map((index) => (calls[index] as () => Promise<unknown>)());
}
