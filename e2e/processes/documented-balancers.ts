// Real load balancers with the configurations of docs/load-balancers.md: only addresses differ.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "../../packages/redis/src/testing/free-port.ts";
import { untilListening } from "./nginx.ts";

export type Balancer = "nginx" | "haproxy";

export interface RunningBalancer {
  url: string;
  stop(): Promise<void>;
}

/** False if the program is not installed on this machine. */
export function hasBalancer(kind: Balancer): boolean {
  return spawnSync(kind, ["-v"]).error === undefined;
}

/** Starts the documented load balancer in front of three replicas on these ports. `sticky` is the variant without Redis. */
export async function startDocumentedBalancer(
  kind: Balancer,
  ports: readonly number[],
  { sticky = false }: { sticky?: boolean } = {},
): Promise<RunningBalancer> {
  const folder = await mkdtemp(join(tmpdir(), `lethe-${kind}-`));
  const port = await findFreePort();
  const file = join(folder, `${kind}.conf`);
  const block = toLocal(await readBlock(kind), ports, port);
  const configuration =
    kind === "nginx" ? toNginx(sticky ? toStickyNginx(block) : block, folder) : sticky ? toStickyHaproxy(block) : block;
  await writeFile(file, `${configuration}\n`);
  const args = kind === "nginx" ? ["-p", folder, "-c", file, "-e", join(folder, "error.log")] : ["-db", "-f", file];
  const child = spawn(kind, args, { stdio: ["ignore", "ignore", "inherit"] });
  await Promise.race([untilListening(port), failed(child, kind)]);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async stop() {
      const exited = once(child, "exit");
      child.kill(kind === "nginx" ? "SIGQUIT" : "SIGTERM");
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}

async function failed(child: ChildProcess, kind: string): Promise<never> {
  const [code] = await once(child, "exit");
  throw new Error(`${kind} ended with code ${code}`);
}

async function readBlock(language: string): Promise<string> {
  const page = await readFile(new URL("../../docs/load-balancers.md", import.meta.url), "utf8");
  const block = page.split(`\`\`\`${language}\n`)[1]?.split("```")[0];
  if (block === undefined) throw new Error(`docs/load-balancers.md has no block for ${language}`);
  return block;
}

function toLocal(block: string, ports: readonly number[], port: number): string {
  return ports
    .reduce((text, own, index) => text.replaceAll(`10.0.0.${index + 1}:3000`, `127.0.0.1:${own}`), block)
    .replace("listen 80", `listen 127.0.0.1:${port}`)
    .replace("bind :80", `bind 127.0.0.1:${port}`);
}

/** Follows the comments of the page. */
function toStickyNginx(block: string): string {
  return block.replace(/^.*# only with Redis\n/gm, "");
}

function toStickyHaproxy(block: string): string {
  return block.replace(/retry-on conn-failure 503.*/, "retry-on conn-failure");
}

function toNginx(http: string, folder: string): string {
  const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const temporary = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join("\n");
  return `pid ${folder}/nginx.pid;
daemon off;
worker_processes 1;
worker_shutdown_timeout 200ms;
events { worker_connections 1024; }
http {
access_log off;
${temporary}
${http}
}`;
}
