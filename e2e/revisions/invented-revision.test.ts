// A new revision is one folder and one line of the registry: server, client and gateway then speak it.
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Client, type Connection, createFetchSend } from "@lethe/client";
import { connectHttp, createClient, type MessageWire } from "@lethe/client/edge";
import { connect } from "@lethe/client/node";
import { type JsonObject, modernRevisions, parseMessage } from "@lethe/protocol";
import { revisionNamed } from "@lethe/protocol/revisions";
import { createServer, type Server } from "@lethe/server";
import { createFetchHandler } from "@lethe/server/edge";
import { createNodeHandler } from "@lethe/server/node";
import { expect, it, onTestFinished, vi } from "vitest";
import { createModernStdio } from "../../packages/client/src/node/modern-stdio.ts";
import { createStdioEdge } from "../../packages/server/src/stdio/stdio-edge.ts";
import { runGateway } from "../gateway/in-process.ts";

// The setup file has loaded the registry already.
vi.hoisted(() => vi.resetModules());

vi.mock("../../packages/protocol/src/revisions/registry.ts", async (importOriginal) => {
  const { revisions } = await importOriginal<{ revisions: readonly object[] }>();
  const { revision } = await import("./2027-01-01/revision.ts");
  return { revisions: [revision, ...revisions] };
});

const newest = "2027-01-01";
const versionKey = "io.modelcontextprotocol/protocolVersion";
const meta = { [versionKey]: newest, "io.modelcontextprotocol/clientCapabilities": {} };

/** `received` collects the tool arguments in the form of the model. */
function createExample(received: unknown[] = []): Server {
  const server = createServer({ name: "example", version: "1.0.0" });
  server.tool("greet", {
    inputSchema: { type: "object", properties: { who: { type: "string", "x-mcp-header": "Who" } } },
    handler(args, ctx) {
      received.push(args);
      ctx.progress(1, 2);
      return `hello ${args.who}`;
    },
  });
  server.tool("ask", {
    async handler(_args, ctx) {
      const { name } = await ctx.elicit("Who?", { type: "object", properties: { name: { type: "string" } } });
      return `hello ${name}`;
    },
  });
  server.resource("test://note", { name: "note", handler: () => "a note" });
  onTestFinished(() => server.close());
  return server;
}

/** The example server on a port. `bodies` collects the requests as they were on the wire. */
async function serveExample(): Promise<{ url: string; bodies: JsonObject[] }> {
  const bodies: JsonObject[] = [];
  const handle = createNodeHandler(createExample());
  const http = createHttpServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      if (text !== "") bodies.push(JSON.parse(text));
    });
    handle(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void http.close());
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, bodies };
}

async function post(server: Server, version: string, method: string, params: JsonObject): Promise<JsonObject> {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": version,
    "mcp-method": method,
  };
  const name = params.name ?? params.uri;
  if (typeof name === "string") headers["mcp-name"] = name;
  if (name === "greet") headers["mcp-param-who"] = "Ada";
  const _meta = { ...meta, [versionKey]: version };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } });
  const response = await createFetchHandler(server)(
    new Request("http://127.0.0.1/mcp", { method: "POST", headers, body }),
  );
  return (await response.json()) as JsonObject;
}

/** `prefix` begins the names of a gateway's tools. */
async function checkClient(client: Client, prefix = ""): Promise<void> {
  expect(client.connection.revision).toBe(newest);
  const progress: unknown[] = [];
  const result = await client.callTool(
    `${prefix}greet`,
    { who: "Ada" },
    { onProgress: (step) => progress.push(step.progress) },
  );
  expect(result.content).toEqual([{ type: "text", text: "hello Ada" }]);
  expect(result).not.toHaveProperty("contentCount");
  expect(progress).toEqual([1]);
  await expect(client.readResource("test://none")).rejects.toMatchObject({
    code: -32602,
    data: { uri: "test://none" },
  });
  const asked = await client.callTool(`${prefix}ask`, {});
  expect(asked.content).toEqual([{ type: "text", text: "hello Grace" }]);
}

const handlers = { elicit: async () => ({ action: "accept" as const, content: { name: "Grace" } }) };

it("the registry line alone puts the invented revision at the head of the modern revisions", () => {
  expect(modernRevisions).toEqual([newest, "2026-07-28"]);
});

it("a server converts requests, results and errors of the invented revision at its HTTP edge", async () => {
  const received: unknown[] = [];
  const server = createExample(received);
  const { result: discovered } = await post(server, newest, "server/discover", {});
  expect(discovered).toMatchObject({ supportedVersions: [newest, "2026-07-28"] });
  const { result } = await post(server, newest, "tools/call", { name: "greet", input: { who: "Ada" } });
  expect(result).toMatchObject({ content: [{ text: "hello Ada" }], contentCount: 1 });
  expect(received).toEqual([{ who: "Ada" }]);
  const { error } = await post(server, newest, "resources/read", { uri: "test://none" });
  expect(error).toMatchObject({ code: -32030, data: { uri: "test://none" } });
});

it("a server that speaks the invented revision still serves clients of 2026-07-28 unchanged", async () => {
  const server = createExample();
  const { result } = await post(server, "2026-07-28", "tools/call", { name: "greet", arguments: { who: "Ada" } });
  expect(result).toMatchObject({ content: [{ text: "hello Ada" }] });
  expect(result).not.toHaveProperty("contentCount");
  const { error } = await post(server, "2026-07-28", "resources/read", { uri: "test://none" });
  expect(error).toMatchObject({ code: -32602 });
});

it("a client selects the invented revision and converts requests, results and errors over HTTP", async () => {
  const handle = createFetchHandler(createExample());
  const bodies: JsonObject[] = [];
  const answers: string[] = [];
  const send = createFetchSend(async (url, init) => {
    bodies.push(JSON.parse(String(init?.body)));
    const response = await handle(new Request(url, init));
    answers.push(await response.clone().text());
    return response;
  });
  const connection = await connectHttp({ url: new URL("http://127.0.0.1/mcp"), send });
  const client = createClient(connection, "example", handlers);
  onTestFinished(() => client.close());
  await client.listTools();
  await checkClient(client);
  const call = bodies.find(({ method }) => method === "tools/call");
  expect(call?.params).toMatchObject({ name: "greet", input: { who: "Ada" }, _meta: { [versionKey]: newest } });
  expect(call?.params).not.toHaveProperty("arguments");
  expect(answers.some((text) => text.includes('"contentCount":1'))).toBe(true);
  expect(answers.some((text) => text.includes("-32030"))).toBe(true);
});

it("server and client convert the invented revision over stdio", async () => {
  const lines: JsonObject[] = [];
  let onLine: (message: JsonObject) => void = () => {};
  const sink = {
    write(text: string) {
      for (const line of text.trimEnd().split("\n")) {
        lines.push(JSON.parse(line));
        onLine(JSON.parse(line));
      }
      return true;
    },
    heldBytes: () => 0,
    drained: async () => {},
    schedule: (flush: () => void) => process.nextTick(flush),
  };
  const edge = createStdioEdge(createExample(), sink);
  const wire = {
    peer: "example",
    closed: new Promise<never>(() => {}),
    send: async (message: object) => edge.receiveLine(JSON.stringify(message)),
    close: async () => {},
  } as unknown as MessageWire;
  onLine = (message) => wire.onMessage?.(parseMessage(message) as never);
  const revision = revisionNamed(newest);
  const { dispatch, close } = createModernStdio(wire, { revision });
  const { traits } = revision;
  const connection: Connection = {
    ...{ dispatch, close, era: "modern", revision: newest, traits, server: {} as never },
    closed: new Promise<never>(() => {}),
  };
  await checkClient(createClient(connection, "example", { ...handlers, cache: false }));
  expect(lines.filter(({ result }) => (result as JsonObject | undefined)?.contentCount === 1)).toHaveLength(2);
  expect(lines.some(({ error }) => (error as JsonObject | undefined)?.code === -32030)).toBe(true);
});

it("a gateway speaks the invented revision with its clients and with its upstreams", async () => {
  const { url, bodies } = await serveExample();
  const running = await runGateway({ upstreams: [{ kind: "http", name: "up", url, headers: {} }] });
  onTestFinished(() => running.close());
  const client = await connect(running.url, handlers);
  onTestFinished(() => client.close());
  await checkClient(client, "up__");
  const call = bodies.find(({ method }) => method === "tools/call");
  expect(call?.params).toMatchObject({ name: "greet", input: { who: "Ada" }, _meta: { [versionKey]: newest } });
});
