// Every tool of the reference server, on each transport that it has, through the gateway: a modern client notices nothing
// of the transport or of the revision behind it.
import type { Client } from "@lethe/client";
import { connect } from "@lethe/client/node";
import type { UpstreamConfig } from "@lethe/gateway";
import type { CallToolResult, JsonObject, LogMessage } from "@lethe/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { httpServers, type RunningServer, startPublished, stdioServers } from "../servers/published.ts";
import { type RunningGateway, runGateway, stdioUpstream } from "./in-process.ts";

const logged = new URL("../servers/logged.mjs", import.meta.url).pathname;

const calls: [name: string, args: JsonObject, expected: string][] = [
  ["echo", { message: "hello" }, "Echo: hello"],
  ["get-annotated-message", { messageType: "error" }, '"priority":1'],
  ["get-env", {}, "PATH"],
  ["get-resource-links", { count: 2 }, '"type":"resource_link"'],
  ["get-resource-reference", { resourceType: "Text", resourceId: 1 }, '"type":"resource"'],
  ["get-structured-content", { location: "Chicago" }, '"structuredContent"'],
  ["get-sum", { a: 2, b: 3 }, "5"],
  ["get-tiny-image", {}, '"type":"image"'],
  [
    "gzip-file-as-resource",
    { name: "x.gz", data: "data:text/plain,hello", outputType: "resourceLink" },
    "resource_link",
  ],
  ["toggle-simulated-logging", {}, "Started"],
  ["toggle-simulated-logging", {}, "Stopped"],
  ["trigger-long-running-operation", { duration: 0.1, steps: 1 }, "completed"],
  ["get-roots-list", {}, "file:///work"],
  ["trigger-elicitation-request", {}, "- Name: Ann"],
  ["trigger-sampling-request", { prompt: "what?" }, "forty-two"],
  ["trigger-url-elicitation", { url: "https://example.com/form" }, "accept"],
];

const answers = {
  elicit: () => ({ action: "accept", content: { name: "Ann", check: true } }) as const,
  elicitUrl: () => ({ action: "accept" }) as const,
  sample: () => ({ role: "assistant", content: { type: "text", text: "forty-two" }, model: "test" }) as const,
  roots: [{ uri: "file:///work", name: "work" }],
};

describe.each(["stdio", "streamableHttp", "sse"] as const)("server-everything by %s", (transport) => {
  let server: RunningServer | undefined;
  let running: RunningGateway;
  let client: Client;

  beforeAll(async () => {
    running = await runGateway({ upstreams: [await startUpstream()] });
    client = await running.connect(answers);
  });
  afterAll(async () => {
    await client?.close();
    await running?.close();
    await server?.stop();
  });

  async function startUpstream(): Promise<UpstreamConfig> {
    if (transport === "stdio") {
      const { command, args } = stdioServers.everything;
      return stdioUpstream("all", [logged, command, ...args]);
    }
    server = await startPublished(transport === "sse" ? httpServers.everythingSse : httpServers.everything);
    return { kind: "http", name: "all", url: server.url, headers: {} };
  }

  const call = async (name: string, args: JsonObject): Promise<CallToolResult> => client.callTool(`all__${name}`, args);

  it("is what it is, and holds sessions", () => {
    expect(running.events).toMatchObject([{ kind: "ready", upstream: "all", sharing: "session" }]);
    expect(running.problems).toEqual([]);
  });

  it.each(calls)("%s %j", async (name, args, expected) => {
    const result = await call(name, args);
    expect(result.isError ?? false).toBe(false);
    expect(JSON.stringify(result)).toContain(expected);
  });

  it("runs each call once, whatever it asks", () => {
    if (transport !== "stdio") return;
    const ran = (running.stderr.get("all") ?? []).filter((line) => line.startsWith("called "));
    expect(ran).toEqual(calls.map(([name]) => `called ${name}`));
  });

  it("sends its user somewhere by an error as well (D-39)", async () => {
    const result = await call("trigger-url-elicitation", { url: "https://example.com/other", errorPath: true });
    expect(JSON.stringify(result)).toContain("accept");
  });

  it("offers resources that only a result has linked to", async () => {
    const { content } = await call("gzip-file-as-resource", {
      name: "linked.gz",
      data: "data:text/plain,hi",
      outputType: "resourceLink",
    });
    const link = content.find(({ type }) => type === "resource_link");
    const { contents } = await client.readResource(String(link && "uri" in link ? link.uri : ""));
    expect(contents[0]).toHaveProperty("blob");
  });

  it("tells of updates of what is watched, and only of that", async () => {
    const uri = "demo://resource/dynamic/text/1";
    const updates: unknown[] = [];
    const subscription = await client.subscribe({ resourceSubscriptions: [uri] }, (change) => updates.push(change));
    await call("toggle-subscriber-updates", {});
    await expect.poll(() => updates.length, { timeout: 5_000 }).toBeGreaterThan(0);
    expect(updates).toContainEqual(expect.objectContaining({ uri }));
    await call("toggle-subscriber-updates", {});
    subscription.close();
  });

  it("logs to whoever asks, and reports progress", async () => {
    const messages: LogMessage[] = [];
    const steps: number[] = [];
    await client.callTool(
      "all__trigger-long-running-operation",
      { duration: 0.2, steps: 2 },
      {
        onProgress: ({ progress }) => steps.push(progress),
        onLog: (message) => messages.push(message),
        logLevel: "debug",
      },
    );
    expect(steps).toEqual([1, 2]);
  });

  it("is seen alone under its own names, in the gateway's name", async () => {
    const alone = await connect(`${running.url}/all`, answers);
    expect((await alone.discover())._meta).toMatchObject({
      "io.modelcontextprotocol/serverInfo": { name: "lethe-gateway" },
    });
    expect(JSON.stringify(await alone.callTool("trigger-elicitation-request"))).toContain("- Name: Ann");
    await alone.close();
  });
});
