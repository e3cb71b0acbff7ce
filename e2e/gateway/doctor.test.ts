// `lethe gateway doctor` on this machine, with real servers and a real Redis.
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type RunningRedis, startRedis } from "../../packages/redis/src/testing/redis-server.ts";
import { root, runLetheWith, startGatewayWith } from "../processes/lethe.ts";

let folder: string;
let redis: RunningRedis | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lethe-doctor-"));
});
afterEach(async () => {
  await redis?.stop();
  redis = undefined;
  await rm(folder, { recursive: true });
});

const traced = { command: process.execPath, args: [join(root, "e2e/servers/traced.mjs")] };
const keyOf = (seed: number) =>
  Buffer.from(Array.from({ length: 32 }, (_, i) => (i * seed + 7) % 256)).toString("base64url");

async function write(document: object): Promise<string> {
  const file = join(folder, "lethe.json");
  await writeFile(file, JSON.stringify(document));
  return file;
}

async function diagnose(document: object, env: Record<string, string>, ...args: string[]) {
  const { code, stdout } = await runLetheWith(
    env,
    "gateway",
    "doctor",
    "--config",
    await write(document),
    "--json",
    ...args,
  );
  const { isHealthy, findings } = JSON.parse(stdout);
  return {
    code,
    isHealthy,
    findings: findings.map(({ level, text }: Record<string, string>) => `${level}: ${text}`),
    stdout,
  };
}

test("a gateway that works has no problem, and its servers are named with revision and verdict", async () => {
  const report = await diagnose({ mcpServers: { traced }, gateway: { port: 0 } }, { LETHE_KEYS: `k1:${keyOf(97)}` });
  expect(report).toMatchObject({ code: 0, isHealthy: true });
  expect(report.findings).toContainEqual(expect.stringMatching(/^ok: traced answers: 2025-11-25, 3 tools, STATEFUL: /));
  expect(report.findings).toContainEqual("ok: port 0 of 127.0.0.1 is free");
});

test("a server that does not start, a busy port and a missing Redis are problems with cause and remedy", async () => {
  const busy = createServer((_, response) => response.end("no gateway")).listen(0, "127.0.0.1");
  await once(busy, "listening");
  const { port } = busy.address() as AddressInfo;
  const broken = { command: process.execPath, args: ["-e", "console.error('no licence'); process.exit(3)"] };
  const gateway = { port, redis: { url: "redis://me:secret-word@127.0.0.1:1" } };
  const report = await diagnose(
    { mcpServers: { broken }, gateway },
    { LETHE_KEYS: `k1:${keyOf(97)}` },
    "--timeout",
    "20",
  );
  busy.close();
  expect(report).toMatchObject({ code: 1, isHealthy: false });
  expect(report.findings).toEqual(
    expect.arrayContaining([
      `problem: cannot listen on port ${port} of 127.0.0.1: the port is in use`,
      "problem: redis://***@127.0.0.1:1 is not reachable",
      "problem: broken does not start",
    ]),
  );
  expect(report.stdout).toContain("no licence");
  expect(report.stdout).not.toContain("secret-word");
});

test("beside a running gateway, it compares keys and clock, and names the gateway at the port", async () => {
  redis = await startRedis();
  const document = { mcpServers: { traced }, gateway: { redis: { url: redis.url } } };
  const keys = { LETHE_KEYS: `k1:${keyOf(97)}` };
  const gateway = await startGatewayWith(keys, await write(document), "--port", "0");
  const { port } = new URL(gateway.url);
  const same = await diagnose(document, keys, "--no-start", "--port", port);
  const other = await diagnose(document, { LETHE_KEYS: `k1:${keyOf(31)}` }, "--no-start", "--port", "0");
  await gateway.stop();
  expect(same).toMatchObject({ code: 0, isHealthy: true });
  expect(same.findings).toContain("ok: 1 gateway shares this Redis now, with the same keys");
  expect(same.findings).toContain(`warning: a gateway listens on port ${port} of 127.0.0.1: ready`);
  expect(same.findings).toContainEqual(expect.stringMatching(/^ok: the clock of Redis is \d+ ms/));
  expect(other.findings).toContain("problem: 1 gateway shares this Redis now, 1 of them with other keys");
});

test("each place of an invalid file is a problem", async () => {
  const report = await diagnose({ mcpServers: { traced }, gateway: { prot: 1 } }, {});
  expect(report).toMatchObject({ code: 1, isHealthy: false });
  expect(report.findings).toEqual([expect.stringMatching(/^problem: .*lethe\.json:1: gateway\.prot is not known/)]);
});
