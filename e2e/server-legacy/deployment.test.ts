// Sessions of older clients in a deployment of several processes: restarts, rolling updates, any process for any request.

import type { ServerOptions } from "@lethe/server";
import { serve } from "@lethe/server/node";
import { createMemoryClientMessageRelay, createMemoryEventLog, createMemorySessionStore } from "@lethe/server/stores";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, expect, it } from "vitest";
import { createTracker } from "./tracker.ts";

const keys = `one:${"A".repeat(43)}`;
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(options: ServerOptions, port = 0) {
  const server = createTracker({ keys, ...options });
  const serving = await serve(server, { port });
  closing.push(() => serving.close({ graceMs: 100 }));
  return { server, ...serving };
}

async function connect(transport: StreamableHTTPClientTransport): Promise<Client> {
  const client = new Client({ name: "old", version: "1" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    const content = params.message === "A note?" ? { note: "cable" } : { resolution: "Fixed", tags: ["api"] };
    return { action: "accept", content };
  });
  await client.connect(transport);
  closing.push(() => client.close());
  return client;
}

it("a session continues after a restart of its server", async () => {
  const first = await start({});
  const client = await connect(new StreamableHTTPClientTransport(new URL(first.url)));
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  await first.close({ graceMs: 100 });
  await start({}, first.port);
  await expect.poll(() => outcomeOf(client.ping())).toBe("done");
  const result = await client.callTool({ name: "resolve", arguments: { id: 7 } });
  expect(result.structuredContent).toEqual({ id: 7, resolution: "Fixed (api): cable" });
});

it("any process serves any request of a session if the processes share the three stores", async () => {
  const legacy = {
    store: createMemorySessionStore(),
    clientMessages: createMemoryClientMessageRelay(),
    events: createMemoryEventLog(),
  };
  const servings = [await start({ legacy }), await start({ legacy }), await start({ legacy })] as const;
  let turn = 0;
  const used = new Set<number>();
  const fetchByTurns = (url: string | URL, init?: RequestInit): Promise<Response> => {
    const next = turn++ % servings.length;
    used.add(next);
    return fetch(new URL(new URL(url).pathname, servings[next]?.url), init);
  };
  const transport = new StreamableHTTPClientTransport(new URL(servings[0].url), { fetch: fetchByTurns });
  const client = await connect(transport);
  const heard: string[] = [];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri));
  for (let call = 0; call < 5; call++) {
    const result = await client.callTool({ name: "resolve", arguments: { id: call } });
    expect(result.structuredContent).toEqual({ id: call, resolution: "Fixed (api): cable" });
  }
  await client.subscribeResource({ uri: "test://door" });
  for (const { server } of servings) server.resourceUpdated("test://door");
  await expect.poll(() => heard).toEqual(["test://door"]);
  expect(used.size).toBe(3);
});

it("a process with other keys answers 404 for a session that it cannot open (D-33)", async () => {
  const first = await start({});
  const client = await connect(new StreamableHTTPClientTransport(new URL(first.url)));
  await first.close({ graceMs: 100 });
  await start({ keys: `one:${"B".repeat(42)}A` }, first.port);
  await expect.poll(() => outcomeOf(client.ping())).toContain("no such session");
});

/** The first request after a restart may still go out on a connection that the old process has closed. */
function outcomeOf(calling: Promise<unknown>): Promise<string> {
  return calling.then(
    () => "done",
    (error: Error) => error.message,
  );
}
