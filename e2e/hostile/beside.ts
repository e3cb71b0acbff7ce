// A gateway process with two upstreams: one that misbehaves in a given way, and a good one. Both the tests and the latency measurement
// of fuzz/ use it, so it depends on neither.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Transport } from "./kinds.ts";

export interface BesideOptions {
  readonly kind: string;
  readonly over: Transport;
  /** The root of this repository, where packages/cli is built. */
  readonly root: string;
}

export interface Beside {
  /** Of the merged endpoint. */
  readonly url: string;
  readonly gateway: ChildProcess;
  /** Everything the gateway wrote. */
  logged(): string;
  /** Resolves when the gateway, and the hostile server over HTTP, have ended. */
  stop(): Promise<void>;
}

/** The gateway gets this heap, in MiB: more is a defect. */
const heapMib = 256;

/** Resolves when the gateway listens. Does not wait for its upstreams. */
export async function startBeside({ kind, over, root }: BesideOptions): Promise<Beside> {
  const folder = mkdtempSync(join(tmpdir(), "lethe-hostile-"));
  const here = join(root, "e2e/hostile");
  const script = join(here, `${over}.mjs`);
  const server =
    over === "http" ? spawn(process.execPath, [script, kind], { stdio: ["ignore", "pipe", "inherit"] }) : undefined;
  const hostile = server ? { url: await firstLine(server) } : { command: process.execPath, args: [script, kind] };
  const good = { command: process.execPath, args: [join(here, "stdio.mjs"), "good"] };
  const config = join(folder, "lethe.json");
  // In-flight calls to the hostile server would never end.
  const gatewayBlock = { shutdown: { graceMs: 500 } };
  writeFileSync(config, JSON.stringify({ mcpServers: { hostile, good }, gateway: gatewayBlock }));
  const command = [
    join(root, "packages/cli/bin/lethe.js"),
    "gateway",
    "--config",
    config,
    "--port",
    "0",
    "--log",
    "json",
  ];
  const gateway = spawn(process.execPath, [`--max-old-space-size=${heapMib}`, ...command], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, XDG_STATE_HOME: folder },
  });
  let logged = "";
  const stop = async (): Promise<void> => {
    await Promise.all([gateway, ...(server ? [server] : [])].map(end));
    rmSync(folder, { recursive: true, force: true });
  };
  const url = await new Promise<string>((resolve, reject) => {
    const read = (text: string): void => {
      logged += text;
      const found = /"event":"gateway.listening".*?"url":"([^"]+)"/.exec(logged)?.[1];
      if (found) resolve(found);
    };
    gateway.stdout.setEncoding("utf8").on("data", read);
    gateway.stderr.setEncoding("utf8").on("data", read);
    gateway.once("close", () => reject(new Error(`the gateway ended before it listened:\n${logged.slice(-2_000)}`)));
  }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { url, gateway, logged: () => logged, stop };
}

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of child.stdout ? createInterface({ input: child.stdout }) : []) return line;
  throw new Error("the hostile server ended before it listened");
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill();
  await exited;
}
