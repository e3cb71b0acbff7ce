// One gateway process of a clone, and the wait until it is ready.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessSet, Started } from "./process-set.ts";

export interface ReplicaPlan {
  /** The folder of the clone whose gateway runs. */
  readonly clone: string;
  /** Where it keeps its state, and what it runs in. */
  readonly folder: string;
  readonly index: number;
  readonly port: number;
  /** The path of its configuration. */
  readonly config: string;
  /** Options of Node. Default: none. */
  readonly node?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly onLine?: (line: string) => void;
}

/** Replicas of one fleet share them. */
const keys = `k1:${Buffer.alloc(32, 5).toString("base64url")}`;

export function startReplica(processes: ProcessSet, plan: ReplicaPlan): Started {
  const { clone, folder, index, port, config, node = [], env, onLine } = plan;
  const state = join(folder, `state-${index}`);
  mkdirSync(state, { recursive: true });
  const args = [
    ...[...node, join(clone, "packages/cli/bin/lethe.js")],
    ...["gateway", "--config", config, "--port", String(port), "--log", "json"],
  ];
  return processes.start(`replica ${index}`, process.execPath, args, {
    cwd: folder,
    env: { LETHE_KEYS: keys, XDG_STATE_HOME: state, ...env },
    ...(onLine && { onLine }),
  });
}

/** Rejects when the replica has ended, or is not ready after `limitMs`. */
export async function untilReady(port: number, started: Started | undefined, limitMs = 90_000): Promise<void> {
  const end = performance.now() + limitMs;
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (response?.status === 200) return;
    const last = started?.lastLine ?? "it was not started";
    if (!started?.isRunning) throw new Error(`the replica at port ${port} ended at its start: ${last}`);
    if (performance.now() > end)
      throw new Error(`the replica at port ${port} is not ready after ${limitMs} ms: ${last}`);
    await sleep(100);
  }
}
