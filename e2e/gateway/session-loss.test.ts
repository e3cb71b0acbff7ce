// Callers are told once when the state of their session is lost, by real servers that crash, restart or are reconfigured.
import { fileURLToPath } from "node:url";
import type { Client } from "@lethe/client";
import { type CallToolResult, isJsonObject, isMcpError } from "@lethe/protocol";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { UpstreamConfig } from "lethe/gateway";
import { afterEach, describe, expect, it } from "vitest";
import { httpServers, type RunningServer, startPublished } from "../servers/published.ts";
import { type RunningGateway, runGateway, stdioUpstream } from "./in-process.ts";

const counter = fileURLToPath(new URL("../servers/count-v1.mjs", import.meta.url));
const keeperHttp = fileURLToPath(new URL("../servers/keeper-http.mjs", import.meta.url));
const publishedKeeper = { program: () => ({ command: process.execPath, args: [keeperHttp] }), path: "/mcp" };

let running: RunningGateway | undefined;
let published: RunningServer | undefined;
afterEach(async () => {
  await running?.close();
  await published?.stop();
  running = undefined;
  published = undefined;
});

/** The error data of a failed call, or its text. */
async function outcome(call: Promise<CallToolResult>): Promise<unknown> {
  try {
    return textOf(await call);
  } catch (error) {
    return isMcpError(error) && isJsonObject(error.data) ? error.data : error;
  }
}

const textOf = ({ content }: CallToolResult) => content.map((block) => ("text" in block ? block.text : "")).join("\n");
const count = (client: Client) => client.callTool("up__count", {});

/** Kills the process that served this result, and waits until the gateway has noticed. */
async function killServerOf(result: CallToolResult, { events }: RunningGateway): Promise<void> {
  process.kill(Number(textOf(result).split(" ")[0]), "SIGKILL");
  await expect.poll(() => events.some(({ kind }) => kind === "lost"), { timeout: 10_000 }).toBe(true);
}

async function startCounter(more: Partial<UpstreamConfig> = {}): Promise<RunningGateway> {
  running = await runGateway({
    upstreams: [stdioUpstream("up", [counter], { sessions: { ...more.sessions } })],
    callers: ["ann", "bob"],
    circuitBreaker: { firstMs: 10, maxMs: 10 },
  });
  return running;
}

describe("a stateful server whose process is killed", () => {
  it("its caller gets the error once, and other callers keep their sessions", async () => {
    const gateway = await startCounter();
    const [ann, bob] = [await gateway.connect({}, "ann"), await gateway.connect({}, "bob")];
    await count(ann);
    await count(bob);
    await killServerOf(await count(ann), gateway);
    expect(await outcome(count(ann))).toEqual({
      reason: "session_lost",
      upstream: "up",
      cause: "upstream_restarted",
    });
    expect(await outcome(count(ann))).toMatch(/ 1$/);
    expect(await outcome(count(bob))).toMatch(/ 2$/);
    // The call that failed was not sent.
    expect(gateway.stderr.get("up")).toHaveLength(5);
    await Promise.all([ann.close(), bob.close()]);
  });

  it("a client of an older revision gets a JSON-RPC error with the same data", async () => {
    const gateway = await startCounter();
    const ann = new OldClient({ name: "official", version: "1.0.0" });
    const requestInit = { headers: { authorization: gateway.authorizationOf("ann") } };
    await ann.connect(new StreamableHTTPClientTransport(new URL(gateway.url), { requestInit }) as Transport);
    const call = () => ann.callTool({ name: "up__count" }) as Promise<CallToolResult>;
    await killServerOf(await call(), gateway);
    await expect(call()).rejects.toMatchObject({
      code: -32603,
      data: { reason: "session_lost", upstream: "up", cause: "upstream_restarted" },
    });
    expect(textOf(await call())).toMatch(/ 1$/);
    await ann.close();
  });

  it("the result of the next call names the cause if the operator chose to continue", async () => {
    const gateway = await startCounter({ sessions: { onLoss: "continue" } });
    const ann = await gateway.connect({}, "ann");
    await killServerOf(await count(ann), gateway);
    const next = await count(ann);
    expect([textOf(next), next._meta?.["lethe/session_lost"]]).toEqual([
      expect.stringMatching(/ 1$/),
      "upstream_restarted",
    ]);
    expect((await count(ann))._meta).not.toHaveProperty("lethe/session_lost");
    await ann.close();
  });
});

describe("a stateful HTTP server that restarts", () => {
  it("its caller gets the error once, and the call that found the lost session has not run", async () => {
    published = await startPublished(publishedKeeper);
    const { url } = published;
    running = await runGateway({
      upstreams: [{ kind: "http", name: "up", url, headers: {} }],
      callers: ["ann"],
      circuitBreaker: { firstMs: 10, maxMs: 10 },
    });
    const ann = await running.connect({}, "ann");
    await ann.callTool("up__remember", { text: "before" });
    await published.kill();
    published = await startPublished(publishedKeeper, Number(new URL(url).port));
    expect(await outcome(ann.callTool("up__remember", { text: "refused" }))).toMatchObject({
      reason: "session_lost",
      cause: "session_ended",
    });
    await ann.callTool("up__remember", { text: "after" });
    expect((await ann.callTool("up__recall")).structuredContent).toMatchObject({ kept: ["after"] });
    await ann.close();
  });

  it("anonymous callers of server-everything continue without an error, because they share a session", async () => {
    published = await startPublished(httpServers.everything);
    const { url } = published;
    running = await runGateway({
      upstreams: [{ kind: "http", name: "up", url, headers: {} }],
      circuitBreaker: { firstMs: 10, maxMs: 10 },
    });
    const client = await running.connect();
    const echo = () => client.callTool("up__echo", { message: "hello" });
    expect(textOf(await echo())).toBe("Echo: hello");
    await published.stop();
    published = await startPublished(httpServers.everything, Number(new URL(url).port));
    expect(textOf(await echo())).toBe("Echo: hello");
    await client.close();
  });
});

describe("a stateful server whose configuration changes", () => {
  it("its caller gets one error that says that the server was reconfigured", async () => {
    const { gateway, connect } = await startCounter();
    const ann = await connect({}, "ann");
    await count(ann);
    const changed = stdioUpstream("up", [counter], { env: { CHANGED: "1" } });
    await gateway.reconfigure([changed]).settled;
    expect(await outcome(count(ann))).toMatchObject({ reason: "session_lost", cause: "reconfigured" });
    expect(await outcome(count(ann))).toMatch(/ 1$/);
    await ann.close();
  });
});
