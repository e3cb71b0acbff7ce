// Builds the images and starts them with three real servers each, alone and as two replicas with a real Redis. It takes minutes and needs
// root and Buildah, so `npm run test:image` runs it. No registry is needed: base images are made from packages.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@lethe/client/node";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { findFreePort } from "../../packages/redis/src/testing/free-port.ts";
import { startRedis } from "../../packages/redis/src/testing/redis-server.ts";
import { root } from "../processes/lethe.ts";
import { baseImages, makeBaseImages } from "./testing/base-images.ts";
import { Buildah } from "./testing/buildah.ts";
import { Container } from "./testing/container.ts";

const variants = ["gateway", "npx", "uvx"] as const;
type Variant = (typeof variants)[number];

const key = "key-of-the-caller-0123456789";
const headers = { authorization: `Bearer ${key}` };
/** Servers inherit no variable with certificates from the gateway. Those of this machine may be needed to reach npm and PyPI. */
const certificates = "/etc/ssl/certs/ca-certificates.crt";
const env = { NODE_EXTRA_CA_CERTS: certificates, SSL_CERT_FILE: certificates };
const npx = (name: string, ...args: string[]) => ({
  ...{ command: "npx", args: ["-y", `@modelcontextprotocol/server-${name}@2026.8.31`, ...args] },
  env,
});
const everything = npx("everything");
const memory = { ...npx("memory"), env: { ...env, MEMORY_FILE_PATH: "/state/memory.jsonl" } };
const files = npx("filesystem", "/tmp");
const time = { command: "uvx", args: ["mcp-server-time@2026.10.19"], env };

const reason = findReason();

function findReason(): string | undefined {
  if (process.env.LETHE_IMAGE !== "1") return "npm run test:image runs it";
  if (process.getuid?.() !== 0) return "it needs root";
  const missing = ["buildah", "mmdebstrap", "unshare", "nsenter"].find((name) => spawnSync(name, ["--version"]).error);
  return missing && `${missing} is not installed`;
}

describe.skipIf(reason)(`the images${reason ? ` (skipped: ${reason})` : ""}`, () => {
  let buildah: Buildah;
  let folder: string;
  const cleanups: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "lethe-image-"));
    buildah = await Buildah.open(join(root, ".cache/images"));
    expect(await makeBaseImages(buildah)).toBeUndefined();
    const given = Object.entries(baseImages).flatMap(([name, image]) => ["--build-arg", `${name}=${image}`]);
    const dockerfile = [
      "-f",
      join(root, "deploy/Dockerfile"),
      "--ignorefile",
      join(root, "deploy/Dockerfile.dockerignore"),
    ];
    for (const variant of variants) {
      const startedAt = performance.now();
      // The format of Docker has health checks.
      const format = ["--isolation", "chroot", "--format", "docker", "--layers", "--pull-never"];
      await buildah.run("build", ...format, ...dockerfile, ...given, "--target", variant, "-t", imageOf(variant), root);
      console.info(`${variant}: built in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
    }
  }, 3_600_000);

  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  afterAll(async () => {
    await buildah.removeContainers();
    await rm(folder, { recursive: true, force: true });
  }, 600_000);

  function imageOf(variant: Variant): string {
    return `localhost/lethe-test/${variant}`;
  }

  /** Resolves when the gateway is ready. */
  async function start(variant: Variant, mcpServers: object, env: Record<string, string> = {}) {
    const image = imageOf(variant);
    const config = await buildah.configOf(image);
    const [port, adminPort] = [await findFreePort(), await findFreePort()];
    const own = await mkdtemp(join(folder, `${variant}-`));
    await mkdir(own, { recursive: true });
    const file = join(own, "servers.json");
    const auth = { keys: [{ id: "caller", key: `\${CALLER_KEY}` }] };
    // The first start of a server downloads its package. npm does not recover if that is ended in the middle.
    const upstreams = Object.fromEntries(Object.keys(mcpServers).map((name) => [name, { startTimeoutMs: 240_000 }]));
    const gateway = { port, auth, upstreams, admin: { port: adminPort }, shutdown: { delayMs: 0 } };
    await writeFile(file, JSON.stringify({ mcpServers, gateway }));
    const container = Container.start({
      ...{ config, root: await buildah.mount(image) },
      files: { "/etc/lethe/servers.json": file },
      env: { CALLER_KEY: key, LETHE_HEALTH_PORT: String(port), ...env },
    });
    cleanups.push(() => container.kill());
    const url = `http://127.0.0.1:${port}/mcp`;
    const begunAt = performance.now();
    await vi.waitFor(
      async () => {
        const { status } = await fetch(new URL("/readyz", url));
        if (status !== 200) throw new Error(`/readyz answers ${status}:\n${container.output}`);
      },
      { timeout: 300_000, interval: 500 },
    );
    console.info(`${variant}: ready in ${Math.round((performance.now() - begunAt) / 1_000)} s`);
    const client = await connect(url, { headers });
    cleanups.push(() => client.close());
    return { url, container, config, client };
  }

  async function expectDockerBehaviour({ container, config }: Awaited<ReturnType<typeof start>>) {
    const [kind, ...check] = config.Healthcheck.Test;
    expect(kind).toBe("CMD");
    expect(await container.exec(...check)).toEqual({ code: 0, output: "" });
    const { output: status } = await container.exec("cat", "/proc/1/status");
    expect((await container.exec("cat", "/proc/1/cmdline")).output).toMatch(/^node\0\/app\/node_modules\/lethe\//);
    expect(status).toMatch(/^Uid:\s+1000\s+1000\s+1000\s+1000$/m);
    expect(status).toMatch(/^CapEff:\s+0+$/m);
    expect((await container.exec("touch", "/app/new")).output).toContain("Read-only file system");
    expect(await container.stop()).toBe(0);
    expect(container.output).toContain("gateway.stopped");
    expect((await container.output.match(/EROFS|EACCES/g)) ?? []).toEqual([]);
  }

  it("npx: answers calls of three servers from npm, as a user without rights in a read-only root, and stops cleanly", async () => {
    const running = await start("npx", { everything, memory, files });
    const { client } = running;
    expect((await client.callTool("everything__echo", { message: "hi" })).content).toMatchObject([
      { text: "Echo: hi" },
    ]);
    expect((await client.callTool("memory__read_graph")).isError).not.toBe(true);
    expect((await client.callTool("files__list_allowed_directories")).isError).not.toBe(true);
    await expectDockerBehaviour(running);
  }, 600_000);

  it("uvx: answers calls of servers from npm and from PyPI", async () => {
    const running = await start("uvx", { everything, memory, time });
    const { client } = running;
    expect((await client.callTool("everything__echo", { message: "hi" })).content).toMatchObject([
      { text: "Echo: hi" },
    ]);
    expect((await client.callTool("memory__read_graph")).isError).not.toBe(true);
    expect((await client.callTool("time__get_current_time", { timezone: "UTC" })).isError).not.toBe(true);
    await expectDockerBehaviour(running);
  }, 600_000);

  it("gateway: answers calls of three servers at URLs", async () => {
    const { url } = await start("npx", { everything, memory, files });
    const at = (name: string) => ({ url: `${url}/${name}`, headers: { Authorization: headers.authorization } });
    const running = await start("gateway", { one: at("everything"), two: at("memory"), three: at("files") });
    const { client } = running;
    expect((await client.callTool("one__echo", { message: "hi" })).content).toMatchObject([{ text: "Echo: hi" }]);
    expect((await client.callTool("two__read_graph")).isError).not.toBe(true);
    expect((await client.callTool("three__list_allowed_directories")).isError).not.toBe(true);
    await expectDockerBehaviour(running);
  }, 600_000);

  it("two replicas with LETHE_REDIS_URL share the sessions of their servers", async () => {
    const redis = await startRedis();
    cleanups.push(() => redis.stop());
    const shared = { LETHE_REDIS_URL: redis.url, LETHE_KEYS: `k1:${randomBytes(32).toString("base64url")}` };
    const servers = { everything, memory, time };
    const [first, second] = await Promise.all([start("uvx", servers, shared), start("uvx", servers, shared)]);
    const entities = [{ name: "Lethe", entityType: "river", observations: ["of forgetting"] }];
    expect((await first.client.callTool("memory__create_entities", { entities })).isError).not.toBe(true);
    // Each replica has its own file of the graph, so only the session of the first one knows the entity.
    expect(JSON.stringify(await second.client.callTool("memory__read_graph"))).toContain("of forgetting");
    for (const { client } of [first, second]) {
      expect((await client.callTool("everything__echo", { message: "hi" })).content).toMatchObject([
        { text: "Echo: hi" },
      ]);
      expect((await client.callTool("time__get_current_time", { timezone: "UTC" })).isError).not.toBe(true);
    }
    await expectDockerBehaviour(second);
    await expectDockerBehaviour(first);
  }, 600_000);
});
