// Slow servers: the gateway starts each once, in its own era, and callers wait.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { createClient } from "@lethe/client/edge";
import { connectStdio } from "@lethe/client/node";
import type { UpstreamConfig } from "lethe/gateway";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type GatewayPlan, type RunningGateway, runGateway, stdioUpstream } from "./in-process.ts";

const program = fileURLToPath(new URL("../servers/on-signal.mjs", import.meta.url));

let folder: string;
let running: RunningGateway | undefined;
beforeEach(() => {
  folder = mkdtempSync(`${tmpdir()}/lethe-start-`);
});
afterEach(async () => {
  await running?.close();
  running = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const letStart = () => writeFileSync(`${folder}/go`, "");
const startsOf = (name: string) => readFileSync(`${folder}/${name}.starts`, "utf8").trim().split("\n").length;

/** Starts when `letStart` is called. */
function held(name: string, more: Partial<Extract<UpstreamConfig, { kind: "stdio" }>> = {}): UpstreamConfig {
  return stdioUpstream(name, [program, `${folder}/go`, `${folder}/${name}.starts`], more);
}

async function run(plan: GatewayPlan): Promise<RunningGateway> {
  running = await runGateway({ startupWaitMs: 50, isAwaited: false, ...plan });
  return running;
}

/** The first request of a client of 2026-07-28. */
async function post(
  url: string,
  requested: string,
  params: object = {},
): Promise<{ status: number; body: Body; text: string; retryAfter: string | null }> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const name = (params as { name?: string }).name;
  const answer = await fetch(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": requested,
      ...(name !== undefined && { "Mcp-Name": name }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: requested, params: { _meta, ...params } }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get("content-type")?.startsWith("application/json");
  return {
    status: answer.status,
    text,
    body: isJson ? JSON.parse(text) : {},
    retryAfter: answer.headers.get("retry-after"),
  };
}

interface Body {
  result?: {
    content?: { text: string }[];
    tools?: { name: string }[];
    ttlMs?: number;
    _meta?: Record<string, unknown>;
  };
  error?: { code: number; message: string; data?: Record<string, unknown> };
}

const add = { name: "add", arguments: { a: 1, b: 2 } };

describe("a dual-era server that is slow to start", () => {
  it("a dual-era server that is slow to start is started once, speaks its modern era, and answers the first call", async () => {
    const { url, gateway } = await run({ upstreams: [held("slow")] });
    const call = post(`${url}/slow`, "tools/call", add);
    letStart();
    expect((await call).body.result?.content).toEqual([{ type: "text", text: "3" }]);
    expect(gateway.upstreams[0]?.connection).toMatchObject({ era: "modern", revision: "2026-07-28" });
    expect(startsOf("slow")).toBe(1);
  });

  it("a dual-era server that is slow to start stays modern in one process if initialize is queued behind server/discover", async () => {
    const starts = `${folder}/slow.starts`;
    let onUp = () => {};
    const isUp = new Promise<void>((resolve) => {
      onUp = resolve;
    });
    const target = { command: process.execPath, args: [program, `${folder}/go`, starts] };
    const connecting = connectStdio(target, { probeTimeoutMs: 1, onStderr: onUp });
    await isUp;
    // Long enough for the client to send initialize. If it is not, the server is modern all the same.
    await new Promise((resolve) => setTimeout(resolve, 200));
    letStart();
    const connection = await connecting;
    expect(connection).toMatchObject({ era: "modern", revision: "2026-07-28" });
    expect(startsOf("slow")).toBe(1);
    const client = createClient(connection, "slow");
    expect((await client.callTool("add", { a: 1, b: 2 })).content).toEqual([{ type: "text", text: "3" }]);
    await client.close();
  });

  it("a dual-era server that is slow to start answers the first call of a client that connects during the start", async () => {
    const { url, connect } = await run({ upstreams: [held("slow")] });
    const connecting = connect({});
    letStart();
    const client = await connecting;
    expect((await client.callTool("slow__add", { a: 1, b: 2 })).content).toEqual([{ type: "text", text: "3" }]);
    expect(url).toContain("/mcp");
    await client.close();
    expect(startsOf("slow")).toBe(1);
  });

  it("a dual-era server that is slow to start is missing at /mcp, which serves the other servers", async () => {
    const keeper = fileURLToPath(new URL("../servers/keeper.mjs", import.meta.url));
    const { url, gateway } = await run({ upstreams: [held("slow"), stdioUpstream("keeper", [keeper])] });
    await gateway.upstreams[1]?.start();
    await expect
      .poll(async () => (await post(url, "tools/list")).body.result)
      .toMatchObject({
        tools: expect.arrayContaining([expect.objectContaining({ name: "keeper__recall" })]),
        ttlMs: 0,
        _meta: { "lethe/missing": ["slow"] },
      });
    letStart();
    await gateway.started;
    const { result } = (await post(url, "tools/list")).body;
    expect(result?.tools?.map(({ name }) => name)).toContain("slow__add");
    expect(result?._meta).not.toHaveProperty(["lethe/missing"]);
  });

  it("a dual-era server that is slow to start reports its start to a caller with a progress token", async () => {
    const { url } = await run({ upstreams: [held("slow")] });
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      progressToken: "p",
    };
    const call = post(`${url}/slow`, "tools/call", { ...add, _meta });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    letStart();
    const { text } = await call;
    expect(text).toContain('upstream \\"slow\\" is starting');
    expect(text).toContain('"text":"3"');
  });
});

describe("a server that cannot be listed", () => {
  it("a server that cannot be listed answers lists at /mcp/NAME with 503, the reason and when to try again", async () => {
    const upstream = { ...stdioUpstream("gone", []), command: "no-such-command-of-lethe" } as UpstreamConfig;
    const { url, gateway } = await run({ upstreams: [upstream] });
    await gateway.started;
    for (const requested of ["server/discover", "tools/list"]) {
      const { status, body, retryAfter } = await post(`${url}/gone`, requested);
      expect([status, Number(retryAfter) > 0]).toEqual([503, true]);
      expect(body.error).toMatchObject({
        code: -32603,
        message: 'upstream "gone" is not running: it cannot be started or reached',
        data: { reason: "unavailable", upstream: "gone", retryAfterMs: expect.any(Number) },
      });
    }
    const { result } = (await post(url, "tools/list")).body;
    expect(result).toMatchObject({ tools: [], ttlMs: 0, _meta: { "lethe/missing": ["gone"] } });
  });

  it("a server that cannot be listed tells callers when to try again after a start that took too long", async () => {
    const { url } = await run({ upstreams: [held("never", { startTimeoutMs: 300 })] });
    const { body } = await post(`${url}/never`, "tools/call", add);
    expect(body.error).toMatchObject({
      message: 'upstream "never" is not running: it did not start in time',
      data: { reason: "unavailable", retryAfterMs: expect.any(Number) },
    });
    expect(running?.events.find(({ kind }) => kind === "failed")).toMatchObject({
      reason: expect.stringContaining("it did not start within 0.3 s (startTimeoutMs)"),
    });
  });
});
