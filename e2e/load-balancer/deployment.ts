// Three processes of one server behind a real nginx, which share only keys and the services that their arguments name.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { findFreePort } from "../../packages/redis/src/testing/free-port.ts";
import { type NginxOptions, startNginx } from "../processes/nginx.ts";
import { stopProcess } from "../processes/server.ts";
import { recordingEnvironment } from "../wire/testing/recorded-children.ts";

export interface Deployment {
  url: string;
  /** Of each process alone. */
  urls: readonly string[];
  /** Restarts all processes at once. */
  restart(): Promise<void>;
  /** Kills one process. */
  kill(index: number): Promise<void>;
  /** After its end. */
  revive(index: number): Promise<void>;
  stop(): Promise<void>;
}

export const replica: string = fileURLToPath(new URL("replica.mjs", import.meta.url));
const keys = { LETHE_KEYS: `k1:${Buffer.alloc(32, 9).toString("base64url")}` };

/** Broadcasts each message that a process sends to its parent. */
export async function deploy(script: string, args: string[] = [], options?: NginxOptions): Promise<Deployment> {
  const ports = await Promise.all([findFreePort(), findFreePort(), findFreePort()]);
  const children: ChildProcess[] = [];
  const revive = async (index: number): Promise<void> => {
    const child = startOne(script, [...args, "--port", String(ports[index])]);
    children[index] = child;
    child.on("message", (message) => {
      for (const other of children) if (other.connected) other.send(message as object);
    });
    await untilListening(child);
  };
  const start = async (): Promise<void> => void (await Promise.all(ports.map((_, index) => revive(index))));
  const stopAll = async (): Promise<void> => void (await Promise.all(children.map(stopProcess)));
  const nginx = await start()
    .then(() => startNginx(ports, options))
    .catch(async (error: unknown) => {
      await stopAll();
      throw error;
    });
  return {
    url: nginx.url,
    urls: ports.map((port) => `http://127.0.0.1:${port}/mcp`),
    async restart() {
      await stopAll();
      await start();
    },
    async kill(index) {
      const child = children[index];
      if (!child) return;
      const gone = once(child, "close");
      child.kill("SIGKILL");
      await gone;
    },
    revive,
    async stop() {
      await nginx.stop();
      await stopAll();
    },
  };
}

function startOne(script: string, args: string[]): ChildProcess {
  const env = { ...process.env, ...recordingEnvironment(), ...keys };
  return fork(script, args, { env, execArgv: [], stdio: ["ignore", "pipe", "inherit", "ipc"] });
}

/** A process writes a line when it listens. Rejects if it ends first. */
async function untilListening(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`the process ended with exit code ${code} before it listened`);
  });
  if (child.stdout) await Promise.race([once(createInterface({ input: child.stdout }), "line"), ended]);
}
