// Extensions behind a gateway: what a server offers to clients with extensions reaches them as it does without the gateway, at the
// merged endpoint and at the server's own, from clients and servers of both eras.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Client, ConnectOptions } from "@lethe/client";
import { connect } from "@lethe/client/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningGateway, runGateway, stdioUpstream } from "./in-process.ts";

const file = fileURLToPath(new URL("../servers/gated.mjs", import.meta.url));
const lists = fileURLToPath(new URL("../servers/plain-lists.mjs", import.meta.url));
const ui = "io.modelcontextprotocol/ui";
const settings = { mimeTypes: ["text/html;profile=mcp-app"] };
const withApps: ConnectOptions = { capabilities: { extensions: { [ui]: settings } } };
const withCustom: ConnectOptions = { capabilities: { extensions: { [ui]: settings, "com.example/custom": {} } } };

const program = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "inherit"] });
let running: RunningGateway;
let url: string;

beforeAll(async () => {
  url = String((await once(program.stdout, "data"))[0]).trim();
  const other = { name: "other", tools: [{ name: "lone" }], resources: ["doc:/other"] };
  running = await runGateway({
    upstreams: [
      { kind: "http", name: "gated", url, headers: {} },
      stdioUpstream("old", [file, "legacy"], { era: "legacy" }),
      stdioUpstream("other", [lists, JSON.stringify(other)]),
    ],
  });
});
afterAll(async () => {
  await running?.close();
  program.kill();
});

const at = (path: string, options: ConnectOptions = {}) => connect(`${running.url}${path}`, options);
const toolsOf = async (client: Client) => (await client.listTools()).map(({ name }) => name);
const legacy = { era: "legacy" } as const;

async function using<T>(opening: Promise<Client>, use: (client: Client) => Promise<T>): Promise<T> {
  const client = await opening;
  return use(client).finally(() => client.close());
}

describe.each([
  ["2026-07-28", {}],
  ["2025-11-25", legacy],
] as const)("a client of %s", (_, era: ConnectOptions) => {
  it("sees the tools that a server lists only for MCP Apps hosts if it declares the extension, at both endpoints", async () => {
    await using(at("", { ...era, ...withApps }), async (client) => {
      const expected = ["gated__caps", "gated__dashboard", "old__caps", "old__dashboard", "other__lone"];
      expect(await toolsOf(client)).toEqual(expected);
    });
    for (const name of ["gated", "old"]) {
      await using(at(`/${name}`, { ...era, ...withApps }), async (client) => {
        expect(await toolsOf(client)).toEqual(["caps", "dashboard"]);
      });
    }
  });

  it("sees at the endpoint of a server what the server itself lists, with and without the extension", async () => {
    for (const options of [withApps, {}]) {
      const expected = await using(connect(url, { era: "modern", ...options }), toolsOf);
      expect(expected).toEqual(options === withApps ? ["caps", "dashboard"] : ["caps"]);
      for (const name of ["gated", "old"]) {
        expect(await using(at(`/${name}`, { ...era, ...options }), toolsOf)).toEqual(expected);
      }
    }
  });

  it("does not see them without the extension", async () => {
    await using(at("", era), async (client) => {
      expect(await toolsOf(client)).toEqual(["gated__caps", "old__caps", "other__lone"]);
    });
  });

  it("sees the extensions of a server at its endpoint, and at the merged one those that only one server offers", async () => {
    await using(at("/gated", era), async (client) => {
      expect(client.server.capabilities.extensions).toMatchObject({ [ui]: settings, "com.example/custom": { x: 1 } });
    });
    await using(at("", era), async (client) => {
      // Two servers offer the others, and only MCP Apps and skills can be merged.
      const merged = { [ui]: settings, "io.modelcontextprotocol/skills": {} };
      expect(client.server.capabilities.extensions).toEqual(merged);
    });
  });

  it("declares its extensions to the server through the gateway", async () => {
    for (const name of ["gated", "old"]) {
      await using(at(`/${name}`, { ...era, ...withApps }), async (client) => {
        const result = await client.callTool("caps");
        const seen = JSON.parse((result.content[0] as { text: string }).text);
        expect(seen.extensions[ui]).toEqual(settings);
        expect(result._meta).toMatchObject({ "com.example/seen": "caps" });
      });
    }
  });

  it("calls a method of an extension at the endpoint of its server", async () => {
    for (const name of ["gated", "old"]) {
      await using(at(`/${name}`, { ...era, ...withCustom }), async (client) => {
        expect(await client.request("com.example/custom.do", { what: name })).toMatchObject({ did: name });
        await expect(client.request("com.example/other.do", {})).rejects.toMatchObject({ code: -32601 });
      });
    }
    await using(at("/other", era), async (client) => {
      await expect(client.request("com.example/custom.do", {})).rejects.toMatchObject({ code: -32601 });
    });
  });

  it("gets the CSP and the permissions of an app unchanged", async () => {
    await using(at("", { ...era, ...withApps }), async (client) => {
      const { contents } = await client.readResource("ui://gated+gated/dashboard.html");
      const csp = { connectDomains: ["https://api.example.com"] };
      expect(contents[0]).toMatchObject({ uri: "ui://gated+gated/dashboard.html", text: "<h1>gated</h1>" });
      expect(contents[0]?._meta).toEqual({ ui: { csp, permissions: { camera: {} } } });
    });
  });
});

it("a method of an extension that several servers offer is rejected at the merged endpoint, which names theirs", async () => {
  await using(at("", withCustom), async (client) => {
    await expect(client.request("com.example/custom.do", {})).rejects.toMatchObject({
      code: -32601,
      message: expect.stringContaining("/mcp/gated or /mcp/old"),
    });
  });
});

it("a caller with 100 extensions is rejected with an error that names the limit", async () => {
  const extensions = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`a.b/c${index}`, {}]));
  await expect(
    at("/gated", { capabilities: { extensions } }).then((client) => client.listTools()),
  ).rejects.toMatchObject({
    message: expect.stringContaining("too many client capabilities: expected at most 64 extensions"),
  });
});
