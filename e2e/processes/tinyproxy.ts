// A real forward proxy, which requires a user and a password.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "../../packages/redis/src/testing/free-port.ts";
import { untilListening } from "./nginx.ts";

export interface RunningProxy {
  /** `127.0.0.1:port` */
  readonly address: string;
  /** The first lines of its requests, such as "CONNECT api.example:443". */
  requests(): Promise<string[]>;
  stop(): Promise<void>;
}

/** `credentials` are "user:password". */
export async function startTinyproxy(credentials: string): Promise<RunningProxy> {
  const folder = await mkdtemp(join(tmpdir(), "lethe-tinyproxy-"));
  const port = await findFreePort();
  const [file, log] = [join(folder, "tinyproxy.conf"), join(folder, "tinyproxy.log")];
  const settings = [
    `Port ${port}`,
    "Listen 127.0.0.1",
    "Allow 127.0.0.1",
    `BasicAuth ${credentials.replace(":", " ")}`,
    `LogFile "${log}"`,
    "LogLevel Connect",
    "Timeout 600",
    "MaxClients 50",
  ];
  await writeFile(file, settings.join("\n"));
  const child = spawn("tinyproxy", ["-d", "-c", file], { stdio: "ignore" });
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`tinyproxy ended with code ${code}`);
  });
  ended.catch(() => {});
  await Promise.race([ended, untilListening(port)]);
  return {
    address: `127.0.0.1:${port}`,
    async requests() {
      const lines = (await readFile(log, "utf8")).matchAll(/Request \(file descriptor \d+\): (\S+ \S+) HTTP/g);
      return [...lines].map(([, request = ""]) => request);
    },
    async stop() {
      const exited = once(child, "exit");
      child.kill();
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}
