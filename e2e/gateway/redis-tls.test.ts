// Two gateways that share a Redis, a Redis Cluster or Sentinels over TLS with a certificate of a private authority, and nothing without TLS.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { connect } from "@lethe/client/node";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startCluster } from "../../packages/redis/src/testing/redis-cluster.ts";
import { startRedis } from "../../packages/redis/src/testing/redis-server.ts";
import { createCertificate, type TestCertificate } from "../../packages/redis/src/testing/redis-tls.ts";
import { startSentinels } from "../../packages/redis/src/testing/sentinel.ts";
import { type RunningGateway, runLetheWith, startGatewayWith } from "../processes/lethe.ts";

interface Deployment {
  readonly url: string;
  stop(): Promise<void>;
}

const keeper = fileURLToPath(new URL("../servers/keeper.mjs", import.meta.url));
const key = "key-of-ann".padEnd(24, "-");
const headers = { authorization: `Bearer ${key}` };
const patience = { timeout: 60_000, interval: 100 };
const ends: (() => unknown)[] = [];
let tls: TestCertificate;
let config: string;

beforeEach(async () => {
  tls = await createCertificate();
  ends.push(() => tls.remove());
  const folder = await mkdtemp(join(tmpdir(), "lethe-redis-tls-"));
  ends.push(() => rm(folder, { recursive: true }));
  config = join(folder, "lethe.json");
  const gateway = { auth: { keys: [{ id: "ann", key }] } };
  const mcpServers = { keeper: { command: process.execPath, args: [keeper] } };
  await writeFile(config, JSON.stringify({ mcpServers, gateway }));
});

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function environmentFor({ url }: Deployment): Record<string, string> {
  return { LETHE_REDIS_URL: url, REDIS_URL: url, LETHE_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64url")}` };
}

async function start(deployment: Deployment): Promise<RunningGateway> {
  const env = { ...environmentFor(deployment), NODE_EXTRA_CA_CERTS: tls.certificateFile };
  const running = await startGatewayWith(env, config, "--port", "0");
  ends.push(() => running.stop());
  await vi.waitFor(async () => expect((await fetch(new URL("/readyz", running.url))).status).toBe(200), patience);
  return running;
}

async function expectShared(gateways: readonly RunningGateway[]): Promise<void> {
  const clients = await Promise.all(gateways.map(({ url }) => connect(url, { headers })));
  ends.push(() => Promise.all(clients.map((client) => client.close())));
  const seen = [];
  for (const [index, client] of clients.entries()) {
    await client.callTool("keeper__remember", { text: `${index}` });
    seen.push((await client.callTool("keeper__recall")).structuredContent);
  }
  expect(seen).toMatchObject([{ kept: ["0"] }, { kept: ["0", "1"] }]);
}

const deployments: [name: string, start: (tls: TestCertificate) => Promise<Deployment>][] = [
  ["one server", (certificate) => startRedis(undefined, [], certificate)],
  ["a Cluster", (certificate) => startCluster({ tls: certificate })],
  ["Sentinels with a password", (certificate) => startSentinels("secret", certificate)],
];

it.each(deployments)(
  "two gateways share the session of a caller through %s",
  async (_, startDeployment) => {
    const deployment = await startDeployment(tls);
    ends.push(() => deployment.stop());
    expect(deployment.url).toMatch(/^rediss/);
    const gateways = [await start(deployment), await start(deployment)];
    await expectShared(gateways);
  },
  120_000,
);

it.each(deployments)(
  "a gateway that does not trust the certificate of %s does not start, and names the cause",
  async (_, startDeployment) => {
    const deployment = await startDeployment(tls);
    ends.push(() => deployment.stop());
    const { code, stderr } = await runLetheWith(
      environmentFor(deployment),
      "gateway",
      "--config",
      config,
      "--port",
      "0",
    );
    expect(code).toBe(2);
    expect(stderr).toMatch(/self.signed certificate/);
    expect(stderr).toContain("NODE_EXTRA_CA_CERTS");
  },
  120_000,
);

/** A configuration with a certificate of the gateway, by paths relative to its folder. Its URL is that of the environment. */
async function writeWithCertificate({ certificateFile, keyFile }: TestCertificate): Promise<void> {
  const { gateway, ...others } = JSON.parse(await readFile(config, "utf8"));
  const folder = dirname(config);
  const clientCertificate = { certFile: relative(folder, certificateFile), keyFile: relative(folder, keyFile) };
  const redis = { url: `\${REDIS_URL}`, clientCertificate };
  await writeFile(config, JSON.stringify({ ...others, gateway: { ...gateway, redis } }));
}

it.each(deployments)(
  "two gateways with a certificate share the session of a caller through %s, where clients need one",
  async (_, startDeployment) => {
    const authority = { ...tls, requiresClients: true };
    const deployment = await startDeployment(authority);
    ends.push(() => deployment.stop());
    await writeWithCertificate(authority);
    const gateways = [await start(deployment), await start(deployment)];
    await expectShared(gateways);
  },
  120_000,
);

it.each([
  [
    "gives none",
    async () => {},
    'it requires a certificate of its clients; set clientCertificate, or set "tls-auth-clients no" in Redis, and give Lethe a user and password',
  ],
  [
    "has one of another authority",
    async () => {
      const other = await createCertificate();
      ends.push(() => other.remove());
      await writeWithCertificate(other);
    },
    "it refuses the client certificate; check that tls-ca-cert-file of Redis has its authority, and that it has not expired",
  ],
])(
  "a gateway that %s does not start with a Redis that requires a certificate, and says what to change",
  async (_, prepare, problem) => {
    const redis = await startRedis(undefined, [], { ...tls, requiresClients: true });
    ends.push(() => redis.stop());
    await prepare();
    const env = { ...environmentFor(redis), NODE_EXTRA_CA_CERTS: tls.certificateFile };
    const { code, stderr } = await runLetheWith(env, "gateway", "--config", config, "--port", "0");
    expect(code).toBe(2);
    expect(stderr.trim()).toBe(`error: gateway.redis: Redis at ${redis.url} cannot be used: ${problem}`);
  },
  60_000,
);
