// Calls every tool of the reference server through the gateway, on each transport and with each client. The client sees no
// difference between transports or revisions, and each call runs once.

import type { Client } from "@lethe/client";
import { connect } from "@lethe/client/node";
import type { CallToolResult, JsonObject, LogMessage } from "@lethe/protocol";
import { recordHttp } from "lethe/compare";
import type { UpstreamConfig } from "lethe/gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { httpServers, startPublished, stdioServers } from "../servers/published.ts";
import { answers, type Caller, callers } from "./callers.ts";
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
  ["toggle-subscriber-updates", {}, "Started"],
  ["toggle-subscriber-updates", {}, "Stopped"],
  ["trigger-long-running-operation", { duration: 0.1, steps: 1 }, "completed"],
  ["get-roots-list", {}, "file:///work"],
  ["trigger-elicitation-request", {}, "- Name: Ann"],
  ["trigger-sampling-request", { prompt: "what?" }, "forty-two"],
  ["trigger-url-elicitation", { url: "https://example.com/form" }, "accept"],
];

interface Reference {
  readonly upstream: UpstreamConfig;
  /** The names of the calls that have reached the server, in their order. */
  calls(running: RunningGateway): string[];
  stop(): Promise<void>;
}

function startOnStdio(): Reference {
  const { command, args } = stdioServers.everything;
  return {
    upstream: stdioUpstream("all", [logged, command, ...args]),
    calls: ({ stderr }) => (stderr.get("all") ?? []).flatMap((line) => line.match(/^called (\S+)$/)?.[1] ?? []),
    stop: async () => {},
  };
}

async function startOnHttp(server: "everything" | "everythingSse"): Promise<Reference> {
  const published = await startPublished(httpServers[server]);
  const recorder = await recordHttp({ to: new URL(published.url), now: () => performance.now() });
  const { pathname } = new URL(published.url);
  return {
    upstream: { kind: "http", name: "all", url: recorder.origin + pathname, headers: {} },
    calls: () =>
      recorder.exchanges.flatMap(({ request: { verb, body } }) => {
        const message = verb === "POST" ? JSON.parse(body) : {};
        return message.method === "tools/call" ? [message.params.name] : [];
      }),
    async stop() {
      await recorder.close();
      await published.stop();
    },
  };
}

/** It runs only as a task. */
const taskTool = "simulate-research-query";

const transports: readonly [name: string, start: () => Reference | Promise<Reference>][] = [
  ["stdio", startOnStdio],
  ["Streamable HTTP", () => startOnHttp("everything")],
  ["HTTP+SSE", () => startOnHttp("everythingSse")],
];

describe.each(transports)("server-everything by %s", (_name, start) => {
  let reference: Reference;
  let running: RunningGateway;
  let client: Client;

  beforeAll(async () => {
    reference = await start();
    running = await runGateway({ upstreams: [reference.upstream] });
    client = await running.connect(answers);
  });
  afterAll(async () => {
    await client?.close();
    await running?.close();
    await reference?.stop();
  });

  const call = async (name: string, args: JsonObject): Promise<CallToolResult> => client.callTool(`all__${name}`, args);

  it("gets the expected verdict and keeps sessions", () => {
    expect(running.events).toMatchObject([{ kind: "ready", upstream: "all", sharing: "session" }]);
    expect(running.problems).toEqual([]);
  });

  describe.each(callers)("%s", (make, connectTo) => {
    let caller: Caller;
    let before: number;
    beforeAll(async () => {
      caller = await connectTo(running.url);
      before = reference.calls(running).length;
    });
    afterAll(() => caller?.close());

    it("lists exactly the tools that the tests call", async () => {
      const names = (await caller.toolNames()).map((name) => name.replace("all__", ""));
      expect(names.toSorted()).toEqual([...new Set([...calls.map(([name]) => name), taskTool])].toSorted());
    });

    it.each(calls)("the tool %s answers a call with %j", async (name, args, expected) => {
      const result = await caller.call(`all__${name}`, args);
      expect(result).not.toMatchObject({ isError: true });
      expect(JSON.stringify(result)).toContain(expected);
    });

    it("runs each call once, including calls with input requests", () => {
      expect(reference.calls(running).slice(before)).toEqual(calls.map(([name]) => name));
    });

    it("lists the tool that requires a task, if it supports tasks (D-38)", async () => {
      const calling = caller.callTask(`all__${taskTool}`, { topic: "python" });
      if (make === "the official client of 2026-07-28") return expect(calling).rejects.toMatchObject({ code: -32021 });
      expect(JSON.stringify(await calling)).toContain("# Research Report: python");
      expect(reference.calls(running).at(-1)).toBe(taskTool);
    });
  });

  it("requests a URL elicitation through an error (D-39)", async () => {
    const result = await call("trigger-url-elicitation", { url: "https://example.com/other", errorPath: true });
    expect(JSON.stringify(result)).toContain("accept");
  });

  it("reads resources that only a result has linked", async () => {
    const { content } = await call("gzip-file-as-resource", {
      name: "linked.gz",
      data: "data:text/plain,hi",
      outputType: "resourceLink",
    });
    const link = content.find(({ type }) => type === "resource_link");
    const { contents } = await client.readResource(String(link && "uri" in link ? link.uri : ""));
    expect(contents[0]).toHaveProperty("blob");
  });

  it("notifies subscribers of their resources only", async () => {
    const uri = "demo://resource/dynamic/text/1";
    const updates: unknown[] = [];
    const subscription = await client.subscribe({ resourceSubscriptions: [uri] }, (change) => updates.push(change));
    await call("toggle-subscriber-updates", {});
    await expect.poll(() => updates.length, { timeout: 5_000 }).toBeGreaterThan(0);
    expect(updates).toContainEqual(expect.objectContaining({ uri }));
    await call("toggle-subscriber-updates", {});
    subscription.close();
  });

  it("sends log messages on request, and progress", async () => {
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

  it("has its own tool names at its own endpoint", async () => {
    const alone = await connect(`${running.url}/all`, answers);
    const serverInfo = "io.modelcontextprotocol/serverInfo";
    const own = { name: "mcp-servers/everything", title: "Everything Reference Server" };
    const { _meta, instructions } = await alone.discover();
    expect(_meta?.[serverInfo]).toMatchObject({ ...own, version: expect.any(String) });
    expect(instructions).toContain("Everything Server");
    expect((await alone.callTool("echo", { message: "m" }))._meta?.[serverInfo]).toMatchObject(own);
    expect(JSON.stringify(await alone.callTool("trigger-elicitation-request"))).toContain("- Name: Ann");
    await alone.close();
  });
});
