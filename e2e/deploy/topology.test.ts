// The topology of deploy/compose as processes, because no container runtime is needed for them: three gateways, a real Redis, nginx with the
// configuration of the compose file, and a real Prometheus that finds every metric of the dashboard.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findFreePort } from "../../packages/redis/src/testing/free-port.ts";
import { type GatewayFleet, startFleet } from "../load-balancer/gateway-fleet.ts";
import { root } from "../processes/lethe.ts";
import { untilListening } from "../processes/nginx.ts";

const deploy = fileURLToPath(new URL("../../deploy/", import.meta.url));
const adminPorts: number[] = [];
let folder: string;
let fleet: GatewayFleet;

/** nginx with the server block of the compose file. */
async function startComposeNginx(ports: readonly number[]): Promise<{ url: string; stop(): Promise<void> }> {
  const port = await findFreePort();
  const names = ports.map((_, index) => `gateway-${index + 1}:3000`);
  const block = names.reduce(
    (text, name, index) => text.replace(name, `127.0.0.1:${ports[index]}`),
    (await readFile(join(deploy, "compose/nginx.conf"), "utf8"))
      .replace("listen 8080", `listen 127.0.0.1:${port}`)
      // Tests of load balancers measure these times. A busy machine may stall a replica for longer than they allow.
      .replace("proxy_read_timeout 3s", "proxy_read_timeout 60s")
      .replace("proxy_connect_timeout 1s", "proxy_connect_timeout 20s"),
  );
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  const file = join(folder, "nginx.conf");
  const head = `pid ${folder}/nginx.pid;\nworker_processes 1;\nworker_shutdown_timeout 200ms;\nevents {}\n`;
  await writeFile(file, `${head}http {\naccess_log off;\n${temporary.join("\n")}\n${block}\n}\n`);
  const args = ["-p", folder, "-c", file, "-e", join(folder, "error.log"), "-g", "daemon off;"];
  const child = spawn("nginx", args, { stdio: ["ignore", "inherit", "inherit"] });
  await untilListening(port);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async stop() {
      const exited = once(child, "exit");
      child.kill("SIGQUIT");
      await exited;
    },
  };
}

async function startPrometheus(targets: readonly number[]): Promise<{ url: string; stop(): Promise<void> }> {
  const port = await findFreePort();
  const config = (await readFile(join(deploy, "compose/prometheus.yml"), "utf8"))
    .replace(/targets: .*/, `targets: ${JSON.stringify(targets.map((target) => `127.0.0.1:${target}`))}`)
    .replace("/etc/prometheus/alerts.yml", join(deploy, "helm/lethe/files/alerts.yml"))
    .replace("scrape_interval: 5s", "scrape_interval: 1s");
  const file = join(folder, "prometheus.yml");
  await writeFile(file, config);
  const args = [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(folder, "tsdb")}`,
    `--web.listen-address=127.0.0.1:${port}`,
    "--log.level=error",
  ];
  const child = spawn("prometheus", args, { stdio: ["ignore", "ignore", "inherit"] });
  await untilListening(port);
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    },
  };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lethe-topology-"));
  const everything = join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
  const memory = join(root, "node_modules/@modelcontextprotocol/server-memory/dist/index.js");
  fleet = await startFleet({
    servers: {
      everything: { command: process.execPath, args: [everything] },
      memory: { command: process.execPath, args: [memory] },
    },
    // A caller whose session was on the killed replica gets a new one.
    upstreams: { everything: { sessions: { onLoss: "continue" } }, memory: { sessions: { onLoss: "continue" } } },
    callers: ["ada", "bob"],
    settings: { keepAliveMs: 1_000 },
    startBalancer: (ports) => {
      adminPorts.push(...ports);
      return startComposeNginx(ports);
    },
  });
}, 120_000);
afterAll(async () => {
  await fleet.close();
  await rm(folder, { recursive: true, force: true });
});

it("calls of several callers succeed through nginx, also after one replica was killed", async () => {
  const ada = await fleet.connect("ada");
  const bob = await fleet.connect("bob");
  for (let round = 0; round < 6; round += 1) {
    expect((await ada.callTool("everything__echo", { message: `${round}` })).content).toMatchObject([
      { text: `Echo: ${round}` },
    ]);
    expect((await bob.callTool("memory__read_graph")).isError).not.toBe(true);
  }
  await fleet.replicas[2]?.stop("SIGKILL");
  for (let round = 0; round < 6; round += 1) {
    const { content } = await ada.callTool("everything__echo", { message: "again" });
    expect(content).toMatchObject([{ text: "Echo: again" }]);
  }
}, 120_000);

it("Prometheus reads the gateways and answers every query of the dashboard", async () => {
  // Round robin reaches each of the replicas that Prometheus reads.
  const ada = await fleet.connect("ada");
  for (let round = 0; round < 3; round += 1) await ada.callTool("everything__echo", { message: "counted" });
  const prometheus = await startPrometheus(adminPorts.slice(0, 2));
  try {
    const query = async (expression: string): Promise<{ value: [number, string] }[]> => {
      const url = new URL("/api/v1/query", prometheus.url);
      url.searchParams.set("query", expression);
      const { status, data, error } = await (await fetch(url)).json();
      expect(status, `${expression}: ${error}`).toBe("success");
      return data.result;
    };
    while (Number((await query('sum(up{job="lethe"})'))[0]?.value[1]) !== 2) await sleep(200);
    const { panels } = JSON.parse(await readFile(join(deploy, "helm/lethe/files/dashboard.json"), "utf8"));
    const expressions = panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) =>
      targets.map(({ expr }) => expr),
    );
    expect(expressions.length).toBeGreaterThan(20);
    for (const expression of expressions) {
      const filled = expression.replace(/=~"\$\w+"/g, '=~".*"').replaceAll("$__rate_interval", "1m");
      await query(filled);
    }
    const calls = await query('sum(lethe_tool_calls_total{tool="everything__echo", outcome="complete"})');
    expect(Number(calls[0]?.value[1])).toBeGreaterThan(0);
    expect(Number((await query('count(lethe_caller_requests_total{caller="key ada"})'))[0]?.value[1])).toBeGreaterThan(
      0,
    );
  } finally {
    await prometheus.stop();
  }
}, 120_000);
