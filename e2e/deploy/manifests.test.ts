// Checks deploy/ with the tools of its readers: promtool, nginx, systemd-analyze, and the gateway's own check of a configuration.
import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runLetheWith } from "../processes/lethe.ts";

const run = promisify(execFile);
const deploy = fileURLToPath(new URL("../../deploy/", import.meta.url));
const files = join(deploy, "helm/lethe/files");
const read = (path: string): string => readFileSync(join(deploy, path), "utf8");
const folder = mkdtempSync(join(tmpdir(), "lethe-deploy-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Service {
  volumes?: string[];
  user?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
}

describe("alerts", () => {
  it("promtool accepts the rules, and each alert fires and keeps quiet as its tests say", async () => {
    expect((await run("promtool", ["check", "rules", "alerts.yml"], { cwd: files })).stdout).toContain("SUCCESS");
    expect((await run("promtool", ["test", "rules", "alerts.test.yml"], { cwd: files })).stdout).toContain("SUCCESS");
  });

  it("each alert has a test", () => {
    const names = [...read("helm/lethe/files/alerts.yml").matchAll(/alert: (\w+)/g)].map(([, name]) => name);
    const tested = [...read("helm/lethe/files/alerts.test.yml").matchAll(/alertname: (\w+)/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(5);
    expect(new Set(tested)).toEqual(new Set(names));
  });
});

describe("the compose file", () => {
  const { services } = parse(read("compose/compose.yaml"), { merge: true }) as { services: Record<string, Service> };

  it("mounts files that exist", () => {
    const mounts = Object.values(services).flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(":")[0]));
    const paths = mounts.filter((path) => path?.startsWith("."));
    expect(paths.length).toBeGreaterThan(5);
    for (const path of paths) expect(existsSync(resolve(deploy, "compose", path as string)), path).toBe(true);
  });

  it("runs every service without capabilities and new privileges, and gateways read-only as user 1000", () => {
    for (const [name, service] of Object.entries(services)) {
      expect(service, name).toMatchObject({ cap_drop: ["ALL"], security_opt: ["no-new-privileges:true"] });
    }
    const gateways = Object.entries(services).filter(([name]) => name.startsWith("gateway-"));
    expect(gateways).toHaveLength(3);
    for (const [name, service] of gateways) expect(service, name).toMatchObject({ user: "1000:1000", read_only: true });
  });

  it("has a gateway configuration without problems", async () => {
    const config = join(deploy, "compose/servers.json");
    const env = { CALLER_KEY: "k".repeat(24) };
    const { stdout } = await runLetheWith(env, "gateway", "check", "--config", config, "--json");
    expect(JSON.parse(stdout)).toMatchObject({ problems: [] });
  });

  it("gives Prometheus a configuration that promtool accepts", async () => {
    const config = join(folder, "prometheus.yml");
    writeFileSync(
      config,
      read("compose/prometheus.yml").replace("/etc/prometheus/alerts.yml", join(files, "alerts.yml")),
    );
    expect((await run("promtool", ["check", "config", config])).stdout).toContain("SUCCESS");
  });
});

describe("the systemd unit", () => {
  const hasAnalyze = !spawnSync("systemd-analyze", ["--version"]).error;

  it.runIf(hasAnalyze)("is valid and exposes little", async () => {
    const unit = join(folder, "lethe-gateway.service");
    // The machine of the test has no lethe in /usr/bin.
    writeFileSync(unit, read("systemd/lethe-gateway.service").replaceAll("/usr/bin/lethe", process.execPath));
    const { stderr } = await run("systemd-analyze", ["verify", "--man=no", unit]);
    expect(stderr).toBe("");
    const args = ["security", "--offline=true", "--threshold=20", unit];
    expect((await run("systemd-analyze", args)).stdout).toContain("OK");
  });
});

describe("the Dockerfile", () => {
  it("ends every variant as user 1000, with a health check, and without a shell in front of the gateway", () => {
    const text = read("Dockerfile");
    const stages = text.split(/^FROM /m).slice(1);
    const variants = stages.filter((stage) => / AS (gateway|npx|uvx)$/m.test(stage));
    expect(variants).toHaveLength(3);
    for (const stage of variants) expect(stage.match(/^USER .*$/gm)?.at(-1)).toBe("USER 1000:1000");
    expect(text).toMatch(/^HEALTHCHECK /m);
    expect(text).toMatch(/^ENTRYPOINT \["node"/m);
    expect(dirname(/"(\/app[^"]+)"/.exec(text)?.[1] ?? "")).toBe("/app/node_modules/lethe/bin");
  });
});
