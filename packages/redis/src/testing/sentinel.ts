// Starts a real primary with a stand-by, and three Sentinels that watch them, on free ports of the loopback address.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "./free-port.ts";
import { type RunningRedis, redisProgram, startRedis } from "./redis-server.ts";
import { connectAdmin, type TestCertificate, tlsSettings } from "./redis-tls.ts";
import { isLinked } from "./stand-by.ts";

export interface RunningSentinels {
  /** Names the Sentinels and the primary. */
  readonly url: string;
  readonly primary: RunningRedis;
  stop(): Promise<void>;
}

/** `password`: that of the servers, which the Sentinels also need from their clients. With `tls`, all of them speak nothing else. */
export async function startSentinels(password?: string, tls?: TestCertificate): Promise<RunningSentinels> {
  const auth = password === undefined ? [] : ["--requirepass", password, "--masterauth", password];
  // The stand-by gets its data at once, and not after 5 s.
  const primary = await startRedis(undefined, ["--repl-diskless-sync-delay", "0", ...auth], tls);
  const standby = await startRedis(undefined, ["--replicaof", "127.0.0.1", String(primary.port), ...auth], tls);
  await becomesLinked(standby, { tls, password });
  const folder = await mkdtemp(join(tmpdir(), "lethe-sentinel-"));
  const ports = await Promise.all([1, 2, 3].map(() => findFreePort()));
  const children = await Promise.all(
    ports.map((port) => startSentinel({ folder, port, primary: primary.port, password, tls })),
  );
  const clients = ports.map((port) => connectAdmin(port, { tls, password }));
  for (const client of clients) {
    while (!isComplete(await client.call("SENTINEL", "MASTER", "main"))) await sleep(50);
    client.disconnect();
  }
  const account = password === undefined ? "" : `:${password}@`;
  const query = password === undefined ? "" : `?sentinelPassword=${password}`;
  return {
    url: `${tls ? "rediss" : "redis"}+sentinel://${account}${ports.map((port) => `127.0.0.1:${port}`).join(",")}/main${query}`,
    primary,
    async stop() {
      for (const child of children) child.kill("SIGKILL");
      await Promise.all([primary.stop(), standby.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Sentinels never promote a stand-by that has no data yet. */
async function becomesLinked({ port }: RunningRedis, options: Parameters<typeof connectAdmin>[1]): Promise<void> {
  const client = connectAdmin(port, options);
  while (!(await isLinked(client))) await sleep(50);
  client.disconnect();
}

interface SentinelPlan {
  readonly folder: string;
  readonly port: number;
  readonly primary: number;
  readonly password: string | undefined;
  readonly tls: TestCertificate | undefined;
}

async function startSentinel({ folder, port, primary, password, tls }: SentinelPlan): Promise<ChildProcess> {
  const file = join(folder, `${port}.conf`);
  const own = password === undefined ? [] : [`requirepass ${password}`, `sentinel auth-pass main ${password}`];
  const lines = [
    ...(tls ? tlsSettings(port, tls).map((setting) => setting.join(" ")) : [`port ${port}`]),
    "bind 127.0.0.1",
    `sentinel monitor main 127.0.0.1 ${primary} 2`,
    "sentinel down-after-milliseconds main 1000",
    "sentinel failover-timeout main 5000",
    ...own,
  ];
  await writeFile(file, `${lines.join("\n")}\n`);
  const child = spawn(redisProgram, [file, "--sentinel"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.stdout.resume();
  return child;
}

/** Whether a Sentinel knows the stand-by and the two other Sentinels. */
function isComplete(reply: unknown): boolean {
  const fields = reply as string[];
  const read = (name: string) => Number(fields[fields.indexOf(name) + 1]);
  return read("num-slaves") === 1 && read("num-other-sentinels") === 2;
}
