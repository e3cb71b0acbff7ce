// Tests the recording proxy with a TLS server and a self-signed certificate.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Comparison } from "lethe/compare";
import { afterAll, beforeAll, expect, it } from "vitest";
import { main, root } from "../processes/lethe.ts";
import { answerOfficialV1 } from "./servers.ts";

let folder: string;
let server: Server;
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lethe-e2e-https-"));
  const [key, cert] = ["key.pem", "cert.pem"].map((name) => join(folder, name)) as [string, string];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  execFileSync(
    "openssl",
    ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", cert, ...subject],
    {
      stdio: "ignore",
    },
  );
  server = createServer({ key: await readFile(key), cert: await readFile(cert) }, answerOfficialV1);
  await once(server.listen(0), "listening");
  url = `https://localhost:${(server.address() as AddressInfo).port}/mcp`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

/** Runs `visit` against the proxy, and then stops it. */
async function record(env: Record<string, string>, visit: (proxy: URL) => Promise<void>): Promise<Comparison> {
  const words = ["compare", "--record", "0", "--to", url, "--json"];
  const stdio = ["ignore", "pipe", "pipe"] as const;
  const child = spawn(process.execPath, [main, ...words], {
    cwd: root,
    stdio: [...stdio],
    env: { ...process.env, ...env },
  });
  const printed = text(child.stdout as NodeJS.ReadableStream);
  const [line] = (await once(createInterface(child.stderr as NodeJS.ReadableStream), "line")) as [string];
  await visit(new URL(line.match(/Recording at (\S+),/)?.[1] ?? ""));
  child.kill("SIGINT");
  return JSON.parse(await printed);
}

it("the recording proxy records HTTPS exchanges in plain text if NODE_EXTRA_CA_CERTS has the certificate", async () => {
  const { recordings } = await record({ NODE_EXTRA_CA_CERTS: join(folder, "cert.pem") }, async (proxy) => {
    expect(proxy.protocol).toBe("http:");
    const client = new Client({ name: "official-client", version: "1.0.0" });
    const transport = new StreamableHTTPClientTransport(proxy);
    await client.connect(transport as Parameters<typeof client.connect>[0]);
    const { content } = await client.callTool({ name: "greet", arguments: { name: "Łukasz 🦦" } });
    expect(content).toEqual([{ type: "text", text: "Hello, Łukasz 🦦!" }]);
    await client.close();
  });
  const [recording] = recordings;
  expect(recording).toMatchObject({ endpoint: url, remarks: [] });
  expect(recording?.exchanges.length).toBeGreaterThanOrEqual(3);
  const called = recording?.exchanges.find(({ request }) => request.body.includes("tools/call"));
  expect(called?.request.body).toContain("Łukasz 🦦");
  expect(called?.response?.events?.map(({ data }) => data).join()).toContain("Hello, Łukasz 🦦!");
});

it("the recording proxy forwards nothing to an untrusted server and explains why", async () => {
  const { recordings } = await record({}, async (proxy) => {
    await expect(fetch(proxy)).rejects.toThrow();
  });
  expect(recordings[0]?.remarks.join()).toMatch(
    /the server could not be reached: self-signed certificate; NODE_EXTRA_CA_CERTS names a file/,
  );
});
