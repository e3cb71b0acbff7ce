// A real legacy server sends input requests during a call, and modern clients answer through the gateway.
import { createRequire } from "node:module";
import { Client as OfficialClient, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningGateway, runGateway, stdioUpstream } from "./in-process.ts";

const everything = createRequire(import.meta.url)
  .resolve("@modelcontextprotocol/server-everything/package.json")
  .replace("package.json", "dist/index.js");

let running: RunningGateway;
beforeAll(async () => {
  running = await runGateway({ upstreams: [stdioUpstream("everything", [everything, "stdio"])] });
});
afterAll(() => running?.close());

const answers = {
  elicit: () => ({ action: "accept", content: { name: "Ann", check: true } }) as const,
  elicitUrl: () => ({ action: "accept" }) as const,
  sample: () => ({ role: "assistant", content: { type: "text", text: "forty-two" }, model: "test" }) as const,
  roots: [{ uri: "file:///work", name: "work" }],
};

describe("the Lethe client", () => {
  it("the Lethe client lists the tools that require client capabilities", async () => {
    const client = await running.connect();
    const names = (await client.listTools()).map(({ name }) => name);
    const asking = [
      "trigger-sampling-request",
      "trigger-elicitation-request",
      "trigger-url-elicitation",
      "get-roots-list",
    ];
    expect(names).toEqual(expect.arrayContaining(asking.map((name) => `everything__${name}`)));
    await client.close();
  });

  it("the Lethe client answers elicitation, sampling and roots requests", async () => {
    const client = await running.connect(answers);
    const asked = async (name: string, args = {}) => JSON.stringify(await client.callTool(`everything__${name}`, args));
    expect(await asked("trigger-elicitation-request")).toContain("- Name: Ann");
    expect(await asked("trigger-sampling-request", { prompt: "what?" })).toContain("forty-two");
    expect(await asked("get-roots-list")).toContain("file:///work");
    await client.close();
  });

  it("the Lethe client answers after the server was reconfigured, and the answer reaches the same call", async () => {
    const upstream = stdioUpstream("everything", [everything, "stdio"]);
    const { gateway, events } = running;
    const before = events.length;
    const client = await running.connect({
      ...answers,
      async elicit() {
        await gateway.reconfigure([{ ...upstream, timeoutMs: 45_000 }], { graceMs: 0 }).started;
        return answers.elicit();
      },
    });
    const result = await client.callTool("everything__trigger-elicitation-request");
    expect(JSON.stringify(result)).toContain("- Name: Ann");
    expect(events.slice(before)).toMatchObject([{ kind: "ready" }]);
    await client.close();
  });
});

describe("the official client in modern mode", () => {
  it("the official client in modern mode answers elicitation, sampling and roots requests", async () => {
    const client = new OfficialClient(
      { name: "official", version: "1.0.0" },
      {
        versionNegotiation: { mode: { pin: "2026-07-28" } },
        capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} },
      },
    );
    client.setRequestHandler("elicitation/create", () => answers.elicit());
    client.setRequestHandler("sampling/createMessage", () => answers.sample());
    client.setRequestHandler("roots/list", () => ({ roots: [...answers.roots] }));
    await client.connect(new StreamableHTTPClientTransport(new URL(running.url)));
    const form = await client.callTool({ name: "everything__trigger-elicitation-request", arguments: {} });
    expect(JSON.stringify(form.content)).toContain("- Name: Ann");
    const sampled = await client.callTool({
      name: "everything__trigger-sampling-request",
      arguments: { prompt: "what?" },
    });
    expect(JSON.stringify(sampled.content)).toContain("forty-two");
    const { content } = await client.callTool({ name: "everything__get-roots-list", arguments: {} });
    expect(JSON.stringify(content)).toContain("file:///work");
    await client.close();
  });
});
