// Starts a real PostgreSQL on a free port of the loopback address, as a system user: it refuses to run as root.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, readdirSync } from "node:fs";
import { chmod, copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import pg from "pg";
import { findFreePort } from "../../../redis/src/testing/free-port.ts";

export interface RunningPostgres {
  url: string;
  port: number;
  /** Ends the server as a crash does. It starts again with its data. */
  crash(): Promise<void>;
  /** Ends all processes of the server as the loss of its machine does. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Ends all connections of Lethe as an administrator does, and returns their number. */
  endConnections(): Promise<number>;
  /** Makes a stand-by the primary. */
  promote(): Promise<void>;
  /** Stalls all processes of the server: connections stay open without answers until `goOn`. */
  pause(): void;
  goOn(): void;
  /** Ends the server and deletes its data. */
  stop(): Promise<void>;
}

const versions = "/usr/lib/postgresql";
const user = "lethe";
/** Durability costs time, and the machine does not crash during a test. */
const settings = [
  ...["fsync=off", "full_page_writes=off", "shared_buffers=16MB", "max_connections=300", "jit=off"],
  ...["listen_addresses=127.0.0.1", "unix_socket_directories=", "log_min_messages=log", "log_checkpoints=off"],
].flatMap((setting) => ["-c", setting]);

export interface PostgresPlan {
  /** A folder with a certificate: server.crt and server.key. Default: no TLS. */
  readonly tls?: string;
  /** The lines of pg_hba.conf. Default: every account may log in without a password. */
  readonly access?: readonly string[];
  /** The server is a stand-by of this primary, and replicates asynchronously. */
  readonly standByOf?: RunningPostgres;
}

export async function startPostgres({ tls, access, standByOf }: PostgresPlan = {}): Promise<RunningPostgres> {
  const data = await mkdtemp(join(tmpdir(), "lethe-postgres-"));
  const account = accountOf(data);
  const initial = ["-U", user, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"];
  const [program, flags] = standByOf
    ? ["pg_basebackup", ["-d", standByOf.url, "-R", "-X", "stream", "-c", "fast", "--no-sync"]]
    : ["initdb", initial];
  execFileSync(binary(program), ["-D", data, ...flags], {
    ...account,
    cwd: data,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (tls !== undefined) await addCertificate(tls, data, account);
  if (access) await writeFile(join(data, "pg_hba.conf"), access.map((line) => `${line}\n`).join(""));
  const ssl = tls === undefined ? [] : ["-c", "ssl=on"];
  const port = await findFreePort();
  let stopServer: (signal: NodeJS.Signals) => Promise<void>;
  let signalAll: (signal: NodeJS.Signals) => void;

  async function start(): Promise<void> {
    const flags = ["-D", data, "-p", String(port), ...settings, ...ssl];
    const child = spawn(binary("postgres"), flags, { ...account, cwd: data, stdio: ["ignore", "ignore", "pipe"] });
    const exited = once(child, "exit");
    const lines: string[] = [];
    const ready = new Promise<void>((resolve) => {
      createInterface({ input: child.stderr }).on("line", (line) => {
        if (lines.push(line) > 50) lines.shift();
        if (line.includes("ready to accept ")) resolve();
      });
    });
    const failed = exited.then(() => {
      throw new Error(`postgres has ended:\n${lines.join("\n")}`);
    });
    failed.catch(() => {});
    signalAll = (signal) => {
      for (const pid of processesOf(child.pid as number)) process.kill(pid, signal);
    };
    stopServer = async (signal) => {
      child.kill(signal);
      await exited;
    };
    await Promise.race([ready, failed]);
  }

  await start();
  const url = `postgres://${user}@127.0.0.1:${port}/postgres`;
  return {
    url,
    port,
    start,
    crash: () => stopServer("SIGQUIT"),
    async kill() {
      signalAll("SIGKILL");
      await stopServer("SIGKILL");
    },
    async endConnections() {
      const client = new pg.Client(url);
      await client.connect();
      const text = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lethe'";
      const { rowCount } = await client.query(text);
      await client.end();
      return rowCount ?? 0;
    },
    async promote() {
      const flags = ["promote", "-w", "-D", data];
      const [code] = await once(spawn(binary("pg_ctl"), flags, { ...account, cwd: data, stdio: "ignore" }), "exit");
      if (code !== 0) throw new Error(`pg_ctl promote has failed with code ${code}`);
    },
    pause: () => signalAll("SIGSTOP"),
    goOn: () => signalAll("SIGCONT"),
    async stop() {
      await stopServer("SIGQUIT");
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** The server refuses a key that other accounts may read. */
async function addCertificate(from: string, data: string, { uid, gid }: { uid?: number; gid?: number }): Promise<void> {
  for (const name of ["server.crt", "server.key"]) {
    const file = join(data, name);
    await copyFile(join(from, name), file);
    await chmod(file, 0o600);
    if (uid !== undefined && gid !== undefined) chownSync(file, uid, gid);
  }
}

/** The server and the processes of its connections. */
function processesOf(server: number): number[] {
  const rows = execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  const processes = rows.map((row) => row.trim().split(/\s+/).map(Number) as [number, number]);
  return [server, ...processes.flatMap(([pid, parent]) => (parent === server ? [pid] : []))];
}

/** Debian installs the programs beside the path, in a folder per version. */
function binary(name: string): string {
  if (!spawnSync(name, ["--version"]).error) return name;
  const newest = existsSync(versions)
    ? readdirSync(versions)
        .sort((a, b) => Number(a) - Number(b))
        .at(-1)
    : undefined;
  if (newest === undefined) throw new Error(`${name} not found: install the package postgresql`);
  return join(versions, newest, "bin", name);
}

/** The account that runs the server, and owns its data: the one of this process, unless it is root. */
function accountOf(data: string): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const name = spawnSync("id", ["-u", "postgres"]).status === 0 ? "postgres" : "nobody";
  const [uid = 0, gid = 0] = ["-u", "-g"].map((flag) => Number(execFileSync("id", [flag, name])));
  chownSync(data, uid, gid);
  return { uid, gid };
}
