// A gateway with two workers from the command line, and its callers, each with a connection to both workers.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Client, ConnectOptions } from "@lethe/client";
import { connect } from "@lethe/client/node";
import type { CallToolResult } from "@lethe/protocol";

import { type RunningGateway, startGatewayWith } from "../processes/lethe.ts";
import { childrenOf, isAlive } from "../processes/process-tree.ts";

export interface WorkerGateway {
  readonly url: string;
  readonly running: RunningGateway;
  /** The process ids of the workers. */
  readonly workers: number[];
  /** The processes of upstreams, of all workers. */
  readonly upstreams: number[];
  /** All that the workers and their upstreams wrote to stderr, line by line. */
  readonly lines: string[];
  /** Clients of one caller: the first connects to one worker, the second to the other. */
  connect(caller: string, options?: ConnectOptions): Promise<[Client, Client]>;
  /** The sum of a metric over its labels, as any worker tells it. */
  metric(name: string): Promise<number>;
  admin(path: string): Promise<Record<string, unknown>>;
  /** Writes the configuration with other settings. */
  configure(settings: object): Promise<void>;
  /** Ends the gateway, and requires that no process is left. */
  close(): Promise<void>;
}

const keeper = fileURLToPath(new URL("../servers/keeper.mjs", import.meta.url));
const surveyor = fileURLToPath(new URL("../servers/surveyor.mjs", import.meta.url));

export const textOf = ({ content }: CallToolResult): string =>
  content.map((block) => ("text" in block ? block.text : "")).join("\n");

export interface WorkerGatewayOptions {
  /** Settings that `configure` keeps. Default: none. */
  readonly fixed?: object;
  /** More environment. */
  readonly env?: Record<string, string>;
}

export async function startWorkerGateway(
  callers: readonly string[],
  { fixed = {}, env = {} }: WorkerGatewayOptions = {},
): Promise<WorkerGateway> {
  const folder = await mkdtemp(join(tmpdir(), "lethe-workers-"));
  const file = join(folder, "lethe.json");
  const configure = (settings: object) => {
    const servers = {
      keeper: { command: process.execPath, args: [keeper] },
      surveyor: { command: process.execPath, args: [surveyor] },
    };
    const keys = callers.map((id) => ({ id, key: toKey(id) }));
    const upstreams = {
      surveyor: { tasks: "auto" },
      keeper: { elicits: ["whoami"], sessions: { turnWaitMs: 20_000 } },
    };
    const gateway = { auth: { keys }, upstreams, shutdown: { graceMs: 2_000 }, ...fixed, ...settings };
    return writeFile(file, JSON.stringify({ mcpServers: servers, gateway }));
  };
  await configure({});
  const running = await startGatewayWith(env, file, "--port", "0", "--workers", "2", "--verbose");
  const workers = () => childrenOf(running.child.pid as number).map(({ pid }) => pid);
  const clients: Client[] = [];
  const readText = async (path: string) =>
    (await fetch(new URL(path, running.url), { headers: { connection: "close" } })).text();
  await until(async () => (await fetch(new URL("/readyz", running.url))).status === 200);
  // The parent gives connections only to workers that listen.
  await until(async () => [1, 2].every((slot) => running.output.stderr.includes(`worker ${slot} has started`)));
  await until(async () => (await readText("/metrics")).includes("lethe_workers 2\n"));
  return {
    url: running.url,
    running,
    configure,
    get workers() {
      return workers();
    },
    get upstreams() {
      return workers().flatMap((pid) => childrenOf(pid).map((child) => child.pid));
    },
    get lines() {
      return running.output.stderr.split("\n");
    },
    async connect(caller, options) {
      const headers = { authorization: `Bearer ${toKey(caller)}` };
      const pair: Client[] = [];
      // The parent gives connections to its workers in turn.
      for (const _ of [1, 2]) pair.push(await connect(running.url, { ...options, headers }));
      clients.push(...pair);
      return pair as [Client, Client];
    },
    async metric(name) {
      const values = (await readText("/metrics")).matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, "gm"));
      return [...values].reduce((sum, [, value]) => sum + Number(value), 0);
    },
    admin: async (path) => JSON.parse(await readText(`/admin/v1/${path}`)),
    async close() {
      const left = [...workers(), ...workers().flatMap((pid) => childrenOf(pid).map((child) => child.pid))];
      await Promise.allSettled(clients.map((client) => client.close()));
      const code = await running.stop();
      if (code !== 0) throw new Error(`the gateway exited with ${code}:\n${running.output.stderr}`);
      await until(async () => !left.some(isAlive));
      await rm(folder, { recursive: true });
    },
  };
}

/** Throws after a minute. */
async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`waited for a minute: ${isTrue}`);
    await sleep(100);
  }
}

/** The key of a caller. */
export function toKey(caller: string): string {
  return `key-of-${caller}`.padEnd(24, "-");
}
