// Tests an SDK of another language with Lethe: its server behind our client and gateway, its client in front of our
// server and gateway. Both sides have the tools `greet`, `count`, `ask` and `folders`.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Client, ConnectOptions } from "@lethe/client";
import { connect } from "@lethe/client/node";
import type { ElicitSchema, Era } from "@lethe/protocol";
import { createServer } from "@lethe/server";
import { type Serving, serve } from "@lethe/server/node";
import type { UpstreamConfig } from "lethe/gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningGateway, runGateway } from "../../gateway/in-process.ts";
import { type Program, type PublishedServer, type RunningServer, startPublished } from "../../servers/published.ts";

const run = promisify(execFile);

export interface Peer {
  readonly name: string;
  /** The reason why the SDK cannot run here. */
  readonly reason?: string | undefined;
  /** On stdio. */
  server(): Program;
  /** The same server over Streamable HTTP. */
  readonly httpServer?: PublishedServer;
  client(url: string, mode: "auto" | "legacy"): Program;
  /** Its server requests input in older revisions only, and never requests roots. */
  readonly asksInLegacyOnly?: boolean;
}

const eras: readonly Era[] = ["modern", "legacy"];
const revisions = { modern: "2026-07-28", legacy: "2025-11-25" };
const tools = ["ask", "count", "folders", "greet"];
const folder = "file:///work";
const timeoutMs = 120_000;

export function describePeer(peer: Peer): void {
  const isMissing = peer.reason !== undefined;
  describe.skipIf(isMissing)(`${peer.name}${isMissing ? ` (skipped: ${peer.reason})` : ""}`, () => {
    describeServer("stdio", peer);
    if (peer.httpServer !== undefined) describeServer("HTTP", peer);
    describeClient(peer);
  });
}

function describeServer(transport: "stdio" | "HTTP", { server, httpServer, asksInLegacyOnly = false }: Peer): void {
  let running: RunningServer | undefined;
  let gateway: RunningGateway;
  beforeAll(async () => {
    const era = asksInLegacyOnly ? ({ era: "legacy" } as const) : {};
    if (transport === "HTTP" && httpServer !== undefined) running = await startPublished(httpServer);
    const upstream: UpstreamConfig =
      running === undefined
        ? { kind: "stdio", name: "peer", env: {}, ...server(), ...era }
        : { kind: "http", name: "peer", url: running.url, headers: {}, ...era };
    gateway = await runGateway({ upstreams: [upstream] });
  }, timeoutMs);
  afterAll(async () => {
    await gateway?.close();
    await running?.stop();
  });

  const open = (path: string, options: ConnectOptions): Promise<Client> =>
    path === "directly" ? connect(running?.url ?? server(), options) : connect(`${gateway.url}/peer`, options);

  describe.each(["directly", "through the gateway"])(`its server over ${transport}, %s`, (path) => {
    it.each(eras)(
      "a server lists its tools, answers a call and reports progress to a %s client",
      async (era) => {
        const client = await open(path, { era });
        const names = (await client.listTools()).map(({ name }) => name);
        expect(names.toSorted()).toEqual(tools);
        expect(await client.callTool("greet", { name: "Ada" })).toMatchObject({ content: [{ text: "hello Ada" }] });
        const steps: number[] = [];
        const options = { onProgress: ({ progress }: { progress: number }) => void steps.push(progress) };
        expect(await client.callTool("count", { steps: 3 }, options)).toMatchObject({ content: [{ text: "counted" }] });
        expect(steps).toEqual([1, 2, 3]);
        await client.close();
      },
      timeoutMs,
    );

    // Behind the gateway, a server that requests input in older revisions only also reaches modern clients.
    it.each(path === "directly" && asksInLegacyOnly ? (["legacy"] as const) : eras)(
      "a server requests input and roots from a %s client",
      async (era) => {
        const elicit = async () => ({ action: "accept" as const, content: { name: "Grace" } });
        const client = await open(path, { era, elicit, roots: [{ uri: folder }] });
        expect(await client.callTool("ask", {})).toMatchObject({ content: [{ text: "Grace" }] });
        if (!asksInLegacyOnly) {
          expect(await client.callTool("folders", {})).toMatchObject({ content: [{ text: folder }] });
        }
        await client.close();
      },
      timeoutMs,
    );
  });
}

function describeClient({ client }: Peer): void {
  let server: Serving;
  let gateway: RunningGateway;
  beforeAll(async () => {
    server = await serve(createTools(), { port: 0 });
    gateway = await runGateway({ upstreams: [{ kind: "http", name: "own", url: server.url, headers: {} }] });
  }, timeoutMs);
  afterAll(async () => {
    await gateway?.close();
    await server?.close({ graceMs: 0 });
  });

  describe.each(["a Lethe server", "the gateway"])("its client, at %s", (target) => {
    it.each(eras)(
      "a client lists tools, calls one, receives progress and answers input and roots requests in the %s era",
      async (era) => {
        const url = target === "the gateway" ? `${gateway.url}/own` : server.url;
        const { command, args } = client(url, era === "modern" ? "auto" : "legacy");
        const { stdout } = await run(command, args, { timeout: timeoutMs });
        expect(JSON.parse(stdout)).toEqual({
          ...{ revision: revisions[era], tools, greet: "hello Ada", count: "counted", steps: [1, 2, 3] },
          ...{ ask: "Grace", folders: folder },
        });
      },
      timeoutMs,
    );
  });
}

function createTools() {
  const required = (name: string, type: string) =>
    ({ type: "object", properties: { [name]: { type } }, required: [name] }) as const;
  return createServer({ name: "own", version: "1.0.0" })
    .tool("greet", { inputSchema: required("name", "string"), handler: ({ name }) => `hello ${String(name)}` })
    .tool("count", {
      inputSchema: required("steps", "number"),
      handler({ steps }, ctx) {
        for (let step = 1; step <= Number(steps); step++) ctx.progress(step, Number(steps));
        return "counted";
      },
    })
    .tool("ask", {
      handler: async (_, ctx) => String((await ctx.elicit("Who are you?", nameForm)).name),
    })
    .tool("folders", { handler: async (_, ctx) => (await ctx.roots()).map(({ uri }) => uri).join(" ") });
}

const nameForm: ElicitSchema = {
  type: "object",
  properties: { name: { type: "string" } },
  required: ["name"],
};
