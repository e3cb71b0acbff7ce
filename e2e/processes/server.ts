// Starts a built server of examples/ or conformance/ as its own process.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { recordingEnvironment } from "../wire/testing/recorded-children.ts";

const root = new URL("../..", import.meta.url);

export interface StartOptions {
  args?: string[];
  env?: Record<string, string>;
}

export interface RunningServer {
  url: string;
  stop(): Promise<void>;
}

export function startProcess(script: string, { args = [], env = {} }: StartOptions = {}): ChildProcess {
  return spawn(process.execPath, [fileURLToPath(new URL(script, root)), ...args], {
    env: { ...process.env, ...recordingEnvironment(), ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
}

export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "close");
  child.kill();
  await closed;
}

/** Resolves when the server has printed where it listens. */
export async function startServer(script: string, options?: StartOptions): Promise<RunningServer> {
  const child = startProcess(script, options);
  const lines = child.stdout ? createInterface({ input: child.stdout }) : [];
  for await (const line of lines) {
    const url = line.match(/https?:\/\/\S+/)?.[0];
    if (url) return { url, stop: () => stopProcess(child) };
  }
  throw new Error(`${script} ended before it listened`);
}
