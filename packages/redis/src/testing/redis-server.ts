// Starts a real Redis without persistence on a free port of the loopback address, or the server that LETHE_REDIS_PROGRAM names.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { findFreePort } from "./free-port.ts";
import { type TestCertificate, tlsSettings } from "./redis-tls.ts";

/** Valkey accepts the options of Redis. */
export const redisProgram: string = process.env.LETHE_REDIS_PROGRAM ?? "redis-server";

export interface RunningRedis {
  url: string;
  port: number;
  /** Stalls the process: connections stay open without replies until `goOn`. */
  pause(): void;
  goOn(): void;
  /** Kills the process and loses its data. */
  stop(): Promise<void>;
}

/** Listens on `port`, or on a free port. `options` are command-line options of the program. With `tls`, it accepts nothing else. */
export async function startRedis(
  port?: number,
  options: readonly string[] = [],
  tls?: TestCertificate,
): Promise<RunningRedis> {
  const chosen = port ?? (await findFreePort());
  const listening: [string, string][] = tls ? tlsSettings(chosen, tls) : [["port", String(chosen)]];
  const ports = listening.flatMap(([name, value]) => [`--${name}`, value]);
  const flags = [...ports, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", ...options];
  // A stand-by and DEBUG RELOAD write files.
  const cwd = await mkdtemp(join(tmpdir(), "lethe-redis-"));
  const child = spawn(redisProgram, flags, { cwd, stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const ready = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line.includes("Ready to accept connections")) resolve();
    });
  });
  const failed = exited.then(([code]) => {
    throw new Error(`${redisProgram} ended with code ${code}`);
  });
  failed.catch(() => {});
  await Promise.race([ready, failed]);
  return {
    url: `${tls ? "rediss" : "redis"}://127.0.0.1:${chosen}`,
    port: chosen,
    pause: () => void child.kill("SIGSTOP"),
    goOn: () => void child.kill("SIGCONT"),
    async stop() {
      child.kill("SIGKILL");
      await exited;
      await rm(cwd, { recursive: true, force: true });
    },
  };
}
