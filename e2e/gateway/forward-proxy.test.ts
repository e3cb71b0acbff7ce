// A gateway and `lethe probe` in a network that reaches a server through a real forward proxy only.
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@lethe/client/node";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { createCertificate } from "../../packages/client/src/node/testing/certificate.ts";
import { answerOfficialV1 } from "../compare/servers.ts";
import { runLetheWith, startGatewayWith } from "../processes/lethe.ts";
import { startServer } from "../processes/server.ts";
import { type RunningProxy, startTinyproxy } from "../processes/tinyproxy.ts";

// Not a name of the loopback interface, although it leads to this machine.
const host = hostname();
let folder: string;
let server: Server;
let proxy: RunningProxy;
let remote: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lethe-forward-proxy-"));
  const certificate = createCertificate(host);
  await writeFile(join(folder, "cert.pem"), certificate.cert);
  server = createServer(certificate, answerOfficialV1);
  await once(server.listen(0), "listening");
  remote = `${host}:${(server.address() as AddressInfo).port}`;
  proxy = await startTinyproxy("ann:secret");
});

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await proxy.stop();
  await rm(folder, { recursive: true });
});

const environment = (credentials: string) => ({
  HTTPS_PROXY: `http://${credentials}@${proxy.address}`,
  HTTP_PROXY: `http://${credentials}@${proxy.address}`,
  NODE_EXTRA_CA_CERTS: join(folder, "cert.pem"),
});

it("the gateway reaches a server through the proxy of HTTPS_PROXY, and one on this machine directly", async () => {
  const tracker = await startServer("examples/tracker/dist/server.js", { args: ["--port", "0", "--bugs", "1"] });
  const config = join(folder, "lethe.json");
  const mcpServers = { remote: { url: `https://${remote}/mcp` }, tracker: { url: tracker.url } };
  await writeFile(config, JSON.stringify({ mcpServers }));
  cleanups.push(tracker.stop);
  const gateway = await startGatewayWith(environment("ann:secret"), config, "--port", "0");
  cleanups.push(() => gateway.stop());
  const client = await connect(gateway.url);
  cleanups.push(() => client.close());
  const names = (await client.listTools()).map(({ name }) => name);
  expect(names).toContain("remote__greet");
  expect(names).toContain("tracker__resolve_bug");
  for (let turn = 0; turn < 20; turn += 1) {
    const { content } = await client.callTool("remote__greet", { name: "Ada" });
    expect(JSON.stringify(content)).toContain("Ada");
  }
  const requests = await proxy.requests();
  expect(new Set(requests)).toEqual(new Set([`CONNECT ${remote}`]));
  // Connections stay open.
  expect(requests.length).toBeLessThan(10);
});

it("lethe probe says that the proxy requires a user and a password", async () => {
  const { code, stdout, stderr } = await runLetheWith(environment("ann:wrong"), "probe", `https://${remote}/mcp`);
  expect(code).not.toBe(0);
  const output = stdout + stderr;
  expect(output).toContain(`the proxy http://${proxy.address} opens no connection to ${remote}: 40`);
  expect(output).toContain("NO_PROXY");
  expect(output).not.toContain("wrong");
});
