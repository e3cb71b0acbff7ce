// `lethe add` against a registry: an HTTP server with answers in the shape of the official registry.
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runLethe } from "../processes/lethe.ts";

const folder = mkdtempSync(join(tmpdir(), "lethe-add-"));
const requested: string[] = [];
let registry: Server;
let url: string;

const weather = {
  server: {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: "io.github.user/weather",
    description: "Weather of \u001b[2Jany place",
    repository: { url: "https://github.com/user/weather", source: "github" },
    version: "1.2.0",
    packages: [
      {
        registryType: "npm",
        registryBaseUrl: "https://registry.npmjs.org",
        identifier: "weather-mcp",
        version: "1.2.0",
        transport: { type: "stdio" },
        packageArguments: [{ type: "named", name: "--units", default: "metric" }],
        environmentVariables: [{ name: "API_KEY", description: "Your key", isRequired: true, isSecret: true }],
      },
    ],
    remotes: [{ type: "streamable-http", url: "https://weather.example/mcp" }],
  },
  _meta: {
    "io.modelcontextprotocol.registry/official": {
      status: "active",
      publishedAt: "2026-01-02T03:04:05.000Z",
      updatedAt: "2026-01-02T03:04:05.000Z",
      isLatest: true,
    },
  },
};

const answers: Readonly<Record<string, () => { status: number; body: string; headers?: Record<string, string> }>> = {
  "/v0.1/servers/io.github.user%2Fweather/versions/latest": () => ({ status: 200, body: JSON.stringify(weather) }),
  "/v0.1/servers/io.github.user%2Fhuge/versions/latest": () => ({ status: 200, body: `"${"a".repeat(2_000_000)}"` }),
  "/v0.1/servers/io.github.user%2Fmoved/versions/latest": () => {
    return { status: 302, body: "", headers: { Location: "http://127.0.0.1:1/" } };
  },
  "/v0.1/servers?search=weather&version=latest&limit=5": () => {
    return { status: 200, body: JSON.stringify({ servers: [weather], metadata: { count: 1 } }) };
  },
};

beforeAll(async () => {
  registry = createServer(({ url: path = "" }, response) => {
    requested.push(path);
    const answer = answers[path]?.() ?? { status: 404, body: '{"error":"Server not found"}' };
    response.writeHead(answer.status, { "Content-Type": "application/json", ...answer.headers }).end(answer.body);
  }).listen(0, "127.0.0.1");
  await once(registry, "listening");
  url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
});
afterAll(() => {
  registry.close();
  rmSync(folder, { recursive: true });
});

function add(...args: string[]) {
  return runLethe("add", ...args, "--registry", url);
}

describe("lethe add", () => {
  it("shows what an entry runs, and writes nothing without a file", async () => {
    const { code, stdout } = await add("io.github.user/weather");
    expect(code).toBe(0);
    expect(stdout).toContain("Runs:\n  npx -y weather-mcp@1.2.0 --units metric\n");
    expect(stdout).toContain("API_KEY: Your key");
    expect(stdout).toContain("remote: streamable-http server https://weather.example/mcp");
    expect(stdout).toContain("Nothing was written.");
    expect(stdout).toContain("\\u001b[2J");
    expect(stdout).not.toContain("\u001b[2J");
  });

  it("adds a server to the file of a gateway, with secrets as references, and keeps the former file", async () => {
    const file = join(folder, "servers.json");
    const before = '{\n  // mine\n  "mcpServers": { "old": { "command": "node" } }\n}\n';
    writeFileSync(file, before);
    const refused = await add("io.github.user/weather", "--file", file);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("give --yes") });
    expect(readFileSync(file, "utf8")).toBe(before);

    const { code, stdout } = await add("io.github.user/weather", "--file", file, "--yes");
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("+ ") });
    const after = readFileSync(file, "utf8");
    expect(after).toContain("// mine");
    expect(JSON.parse(after.replace("// mine", ""))).toEqual({
      mcpServers: {
        weather: {
          command: "npx",
          args: ["-y", "weather-mcp@1.2.0", "--units", "metric"],
          env: { API_KEY: "${API_KEY}" },
        },
        old: { command: "node" },
      },
    });
    expect(readFileSync(`${file}.lethe-backup`, "utf8")).toBe(before);
  });

  it("adds a server to a client, with the values that were given", async () => {
    const words = ["io.github.user/weather", "--client", "cursor", "--home", folder, "--yes", "--json"];
    const missing = await add(...words);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("--set API_KEY: Your key") });
    const { code, stdout } = await add(...words, "--set", "API_KEY=k", "--name", "sky");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ name: "sky", isWritten: true });
    expect(JSON.parse(readFileSync(join(folder, ".cursor/mcp.json"), "utf8"))).toMatchObject({
      mcpServers: { sky: { command: "npx", env: { API_KEY: "k" } } },
    });
  });

  it("chooses the remote server with --use", async () => {
    const { stdout } = await add("io.github.user/weather", "--use", "remote", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ target: { url: "https://weather.example/mcp" } });
  });

  it.each([
    [["weather"], "a name such as io.github.user/server is expected", "the registry has io.github.user/weather"],
    [["io.github.other/weather"], "has no server io.github.other/weather", "the registry has io.github.user/weather"],
    [["io.github.user/weather", "--set", "NO=1"], "does not take --set NO", "it takes API_KEY, --units"],
    [["io.github.user/weather", "--use", "oci"], "has npm, remote", ""],
    [["a\u001b[2J/b"], "a name such as", "\\u001b[2J"],
    [["../../x/y"], "a name such as", ""],
  ])("rejects %j with an explanation", async (words, reason, more) => {
    const { code, stderr } = await add(...words);
    expect(code).toBe(1);
    expect(stderr).toContain(reason);
    expect(stderr).toContain(more);
  });

  it.each([
    ["io.github.user/huge", "larger than 1048576 bytes"],
    ["io.github.user/moved", "redirect"],
  ])("rejects the answer for %s", async (name, reason) => {
    expect(await add(name)).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) });
  });

  it("rejects a registry without TLS on another machine", async () => {
    const { code, stderr } = await runLethe("add", "a/b", "--registry", "http://registry.example");
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("https URL") });
  });
});
