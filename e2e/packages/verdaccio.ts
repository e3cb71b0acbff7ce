// A package registry on this machine, as a company would run one: Verdaccio. It has the packages of this repository, and fetches all others
// from the registry that npm uses.
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
export const installed = fileURLToPath(new URL("installed/", import.meta.url));

/** No other package of the workspace needs these. */
export function installPackageManagers(): void {
  const runtimes = fileURLToPath(new URL("../runtimes/installed/", import.meta.url));
  for (const cwd of [installed, runtimes]) {
    if (existsSync(join(cwd, "node_modules/.package-lock.json"))) continue;
    const args = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
    const { status, stderr, error } = spawnSync("npm", args, { cwd, encoding: "utf8", timeout: npmTimeoutMs });
    if (status !== 0) throw new Error(`npm ci in ${cwd} failed: ${error?.message ?? ""}\n${stderr}`);
  }
}

/** Lines kept for the error of a registry that does not start. */
const maxOutputLines = 100;

/** A request of npm to a registry can hang. */
const npmTimeoutMs = 300_000;

export interface Registry {
  readonly url: string;
  /** Publishes the packages of these tarballs. */
  publish(tarballs: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export async function startVerdaccio(folder: string): Promise<Registry> {
  mkdirSync(folder, { recursive: true });
  const { stdout } = await run("npm", ["config", "get", "registry"]);
  const config = join(folder, "verdaccio.yaml");
  writeFileSync(config, configOf(stdout.trim()));
  const port = await freePort();
  const program = join(installed, "node_modules/verdaccio/bin/verdaccio");
  const args = [program, "--config", config, "--listen", `127.0.0.1:${port}`];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  await hasListened(child);
  const url = `http://127.0.0.1:${port}/`;
  const npmrc = join(folder, ".npmrc");
  writeFileSync(npmrc, `registry=${url}\n//127.0.0.1:${port}/:_authToken=any\n`);
  return {
    url,
    async publish(tarballs) {
      // npm does not read a provenance or an account from a registry on this machine.
      for (const tarball of tarballs)
        await run("npm", ["publish", tarball, "--userconfig", npmrc, "--access", "public"], {
          cwd: folder,
          timeout: npmTimeoutMs,
        });
    },
    async close() {
      const closed = once(child, "close");
      // It would wait for connections that a package manager keeps open. Its files are deleted anyway.
      child.kill("SIGKILL");
      await closed;
    },
  };
}

/** Packages of this repository have no uplink: a package of the same name elsewhere is never installed instead. */
function configOf(uplink: string): string {
  const own = ["@lethe/*", "lethe", "create-lethe"].map(
    (name) => `  "${name}":\n    access: $all\n    publish: $all\n`,
  );
  return `storage: ./storage
uplinks:
  upstream:
    url: ${uplink}
packages:
${own.join("")}  "**":
    access: $all
    proxy: upstream
web:
  enable: false
max_body_size: 50mb
log: { type: stdout, format: json, level: warn }
`;
}

/** Reads its output to the end: a process whose pipe is full stands still. */
async function hasListened(child: ChildProcess): Promise<void> {
  const output: string[] = [];
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  await new Promise<void>((resolve, reject) => {
    lines.on("line", (line) => {
      if (line.includes("http address")) resolve();
      if (output.length < maxOutputLines) output.push(line);
    });
    lines.on("close", () => reject(new Error(`Verdaccio ended: ${output.join("\n")}`)));
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
