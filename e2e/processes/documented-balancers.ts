// Real load balancers with the configurations of docs/load-balancers.md: only addresses differ.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "../../packages/redis/src/testing/free-port.ts";
import { installEnvoy } from "../programs/envoy.ts";
import { untilListening } from "./nginx.ts";

export type Balancer = "nginx" | "haproxy" | "envoy";

export interface RunningBalancer {
  url: string;
  stop(): Promise<void>;
}

/** The program, or why this machine does not have it. Envoy is installed at the first call. */
export async function findBalancer(kind: Balancer): Promise<{ program: string } | { reason: string }> {
  if (kind === "envoy") return installEnvoy();
  return spawnSync(kind, ["-v"]).error ? { reason: `${kind} is not installed` } : { program: kind };
}

/** Starts the documented load balancer in front of three replicas on these ports. `sticky` is the variant without Redis. */
export async function startDocumentedBalancer(
  kind: Balancer,
  ports: readonly number[],
  { sticky = false }: { sticky?: boolean } = {},
): Promise<RunningBalancer> {
  const found = await findBalancer(kind);
  if ("reason" in found) throw new Error(found.reason);
  const folder = await mkdtemp(join(tmpdir(), `lethe-${kind}-`));
  const port = await findFreePort();
  const file = join(folder, kind === "envoy" ? "envoy.yaml" : `${kind}.conf`);
  const block = toLocal(await readBlock(kind), ports, port);
  const chosen = sticky ? toSticky[kind](block) : block;
  await writeFile(file, `${kind === "nginx" ? toNginx(chosen, folder) : chosen}\n`);
  const child = spawn(found.program, argumentsOf[kind](file, folder), { stdio: ["ignore", "ignore", "inherit"] });
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

const argumentsOf: Record<Balancer, (file: string, folder: string) => string[]> = {
  nginx: (file, folder) => ["-p", folder, "-c", file, "-e", join(folder, "error.log")],
  haproxy: (file) => ["-db", "-f", file],
  // Several processes of one machine need different numbers for their shared memory.
  envoy: (file) => ["-c", file, "--use-dynamic-base-id", "--concurrency", "1", "--log-level", "error"],
};

/** Follows the comments of the page. */
const toSticky: Record<Balancer, (block: string) => string> = {
  nginx: (block) => block.replace(/^.*# only with Redis\n/gm, ""),
  haproxy: (block) => block.replace(/retry-on conn-failure 503.*/, "retry-on conn-failure"),
  envoy: (block) => block.replace(/,retriable-status-codes.*/, ""),
};

async function readBlock(kind: Balancer): Promise<string> {
  const page = await readFile(new URL("../../docs/load-balancers.md", import.meta.url), "utf8");
  const language = kind === "envoy" ? "yaml" : kind;
  const block = page.split(`\`\`\`${language}\n`)[1]?.split("```")[0];
  if (block === undefined) throw new Error(`docs/load-balancers.md has no block for ${kind}`);
  return block;
}

function toLocal(block: string, ports: readonly number[], port: number): string {
  return ports
    .reduce((text, own, index) => {
      const address = `10.0.0.${index + 1}`;
      return text
        .replaceAll(`${address}:3000`, `127.0.0.1:${own}`)
        .replaceAll(`address: ${address}, port_value: 3000`, `address: 127.0.0.1, port_value: ${own}`);
    }, block)
    .replace("listen 80", `listen 127.0.0.1:${port}`)
    .replace("bind :80", `bind 127.0.0.1:${port}`)
    .replace("address: 0.0.0.0, port_value: 80 ", `address: 127.0.0.1, port_value: ${port} `);
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
