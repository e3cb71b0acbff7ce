// Starts a real Redis without persistence on a free port of the loopback address.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { findFreePort } from "./free-port.ts";

export interface RunningRedis {
  url: string;
  port: number;
  /** Stalls the process: connections stay open without replies until `goOn`. */
  pause(): void;
  goOn(): void;
  /** Kills the process and loses its data. */
  stop(): Promise<void>;
}

/** Listens on `port`, or on a free port. */
export async function startRedis(port?: number): Promise<RunningRedis> {
  const chosen = port ?? (await findFreePort());
  const flags = ["--port", String(chosen), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
  const child = spawn("redis-server", flags, { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const ready = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line.includes("Ready to accept connections")) resolve();
    });
  });
  const failed = exited.then(([code]) => {
    throw new Error(`redis-server ended with code ${code}`);
  });
  failed.catch(() => {});
  await Promise.race([ready, failed]);
  return {
    url: `redis://127.0.0.1:${chosen}`,
    port: chosen,
    pause: () => void child.kill("SIGSTOP"),
    goOn: () => void child.kill("SIGCONT"),
    async stop() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
