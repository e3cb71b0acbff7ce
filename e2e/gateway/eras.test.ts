// Servers on the newest official SDK, which speak both eras, behind the gateway: each caller gets the features that the server offers
// to direct clients.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@lethe/protocol";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { runGateway, stdioUpstream } from "./in-process.ts";

const pushing = fileURLToPath(new URL("../servers/pushing.mjs", import.meta.url));
const answer = { action: "accept" as const, content: { name: "Ann" } };

async function start(config: Parameters<typeof stdioUpstream>[2] = {}, ...args: string[]) {
  const folder = mkdtempSync(join(tmpdir(), "lethe-eras-"));
  const starts = join(folder, "starts");
  const upstreams = [stdioUpstream("up", [pushing, "--starts", starts, ...args], config)];
  const gateway = await runGateway({ upstreams });
  onTestFinished(async () => {
    await gateway.close();
    rmSync(folder, { recursive: true });
  });
  const startCount = () => readFileSync(starts, "utf8").trim().split("\n").length;
  async function connectOld(): Promise<Client> {
    const client = new Client({ name: "old", version: "1.0.0" }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, async () => answer);
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)) as Transport);
    onTestFinished(() => client.close());
    return client;
  }
  async function connectModern() {
    const client = await gateway.connect({ elicit: async () => answer });
    onTestFinished(() => client.close());
    return client;
  }
  return { gateway, startCount, connectOld, connectModern };
}

const textOf = (result: object) => (result as { content: [{ text: string }] }).content[0].text;

describe("a stdio server of both eras whose tools push elicitations", () => {
  it("a stdio server of both eras whose tools push elicitations elicits input from a legacy client over a second process, which starts with the first such client", async () => {
    const { startCount, connectOld, connectModern } = await start();
    const modern = await connectModern();
    const first = textOf(await modern.callTool("up__pid", {}));
    expect(startCount()).toBe(1);
    const old = await connectOld();
    expect(old.getServerCapabilities()).toMatchObject({ logging: {} });
    expect(textOf(await old.callTool({ name: "up__ask", arguments: {} }))).toBe("accept Ann in run 1");
    expect(textOf(await old.callTool({ name: "up__pid", arguments: {} }))).not.toBe(first);
    expect(textOf(await modern.callTool("up__pid", {}))).toBe(first);
    await connectOld();
    expect(startCount()).toBe(2);
  });

  it("a stdio server of both eras whose tools push elicitations elicits input from a modern client from its second call on, and the log names the setting for it", async () => {
    const { gateway, connectModern } = await start();
    const client = await connectModern();
    const refused = await client.callTool("up__ask", {}).catch((error: unknown) => error);
    expect(refused).toMatchObject({ data: { reason: "era_switched", upstream: "up" } });
    expect(gateway.problems).toEqual([expect.stringContaining('"upstreams": {"up": {"era": "legacy"}}')]);
    expect(textOf(await client.callTool("up__ask", {}))).toBe("accept Ann in run 1");
    expect(gateway.problems).toHaveLength(1);
  });

  it("a stdio server of both eras whose tools push elicitations elicits input from a modern client from its first call on after the gateway restarts", async () => {
    const kept = new Map<string, JsonObject>();
    const facts = {
      load: (key: string) => kept.get(key),
      save: (key: string, value: JsonObject) => void kept.set(key, value),
    };
    const folder = mkdtempSync(join(tmpdir(), "lethe-eras-"));
    const upstreams = [stdioUpstream("up", [pushing, "--starts", join(folder, "starts")])];
    async function callOnce(): Promise<object> {
      const gateway = await runGateway({ upstreams, facts });
      const client = await gateway.connect({ elicit: async () => answer });
      const outcome = await client.callTool("up__ask", {}).catch((error: unknown) => error);
      await client.close();
      await gateway.close();
      return outcome as object;
    }
    expect(await callOnce()).toMatchObject({ data: { reason: "era_switched" } });
    expect(textOf(await callOnce())).toBe("accept Ann in run 1");
    rmSync(folder, { recursive: true });
  });

  it("a stdio server of both eras whose tools push elicitations runs a read-only tool again at once", async () => {
    const { connectModern } = await start();
    const client = await connectModern();
    expect(textOf(await client.callTool("up__look", {}))).toBe("accept Ann in run 1");
  });

  it("a stdio server of both eras whose tools push elicitations keeps one process if the configuration names the era", async () => {
    const { startCount, connectOld } = await start({ era: "modern" });
    const old = await connectOld();
    expect(textOf(await old.callTool({ name: "up__pid", arguments: {} }))).toMatch(/^\d+$/);
    expect(startCount()).toBe(1);
  });

  it("a stdio server of both eras whose tools push elicitations keeps one process if it rejects legacy revisions", async () => {
    const { gateway, connectOld } = await start({}, "--modern");
    const old = await connectOld();
    expect(textOf(await old.callTool({ name: "up__ask", arguments: {} }))).toContain(
      "not available on protocol revision",
    );
    expect(textOf(await old.callTool({ name: "up__pid", arguments: {} }))).toMatch(/^\d+$/);
    expect(gateway.problems).toEqual([expect.stringContaining("it fails for callers of this revision")]);
  });
});
