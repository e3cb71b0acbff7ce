// Probes the Lethe server in each mode, and the Lethe gateway in front of a legacy server.

import { createServer, type ServerOptions } from "@lethe/server";
import { serve } from "@lethe/server/node";
import { probe } from "lethe/probe";
import { describe, expect, it } from "vitest";
import { main, startWrap } from "../processes/lethe.ts";
import { program } from "../servers/published.ts";
import { capture } from "./capture.ts";
import { descendantsOf } from "./left-over.ts";

const keys = [{ id: "shared", key: Buffer.alloc(32, 7).toString("base64url") }];

async function start(legacy: NonNullable<ServerOptions["legacy"]>): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer({ name: "ours", version: "1" }, { legacy, keys });
  server.tool("echo", { description: "echoes", handler: () => "echo" });
  const serving = await serve(server, { port: 0 });
  return { url: serving.url, close: serving.close };
}

/** Taken from the responses to plain fetch (`capture`): discover; initialize; tools/list with, without and with a foreign id. */
const groundTruth = [
  {
    sessions: "sealed",
    wire: "200; 200 id; 200, 400 -32600, 404 -32600",
    legacy: { isSpoken: true, word: "STATEFUL", contract: "enforced" },
    isAnyInstance: true,
  },
  {
    sessions: "none",
    wire: "200; 200; 200, 200, 200",
    legacy: { isSpoken: true, word: "STATELESS", contract: "none" },
    isAnyInstance: true,
  },
  {
    sessions: "off",
    wire: "200; 400 -32022; 400 -32602, 400 -32602, 400 -32602",
    legacy: { isSpoken: false, word: "UNKNOWN" },
    isAnyInstance: undefined,
  },
] as const;

describe.each(groundTruth)("legacy sessions: $sessions", ({ sessions, wire, legacy, isAnyInstance }) => {
  it("a Lethe server gets the expected verdict: any instance serves both eras", async () => {
    const [home, replica] = await Promise.all([start({ sessions }), start({ sessions })]);
    const { discover, initialize, trials, hasId } = await capture(home.url);
    const report = await probe({ url: home.url }, { replicas: [replica.url] });
    await Promise.all([home.close(), replica.close()]);
    expect(`${discover}; ${initialize}${hasId ? " id" : ""}; ${trials.join(", ")}`).toBe(wire);
    expect(report).toMatchObject({ word: "STATELESS", era: "modern", transport: "streamable-http", leftovers: [] });
    expect(report.eras.legacy).toMatchObject(legacy);
    const instances = Object.fromEntries(report.instances.map(({ era, isAnyInstance: isAny }) => [era, isAny]));
    expect(instances).toEqual({ modern: true, ...(isAnyInstance !== undefined && { legacy: isAnyInstance }) });
  });
});

it("the gateway in front of a stateful server is modern and STATELESS, and so is its stdio bridge", async () => {
  const { command, args } = program("@modelcontextprotocol/server-everything", "dist/index.js", "stdio");
  const gateway = await startWrap("--", command, ...args);
  const pid = gateway.child.pid as number;
  try {
    const before = descendantsOf(pid).length;
    const report = await probe({ url: gateway.url }, { timeoutMs: 15_000 });
    expect(report).toMatchObject({ word: "STATELESS", era: "modern", transport: "streamable-http", leftovers: [] });
    expect(report.eras.legacy).toMatchObject({ isSpoken: true, word: "STATEFUL", contract: "enforced" });
    expect(report.requests).toBeLessThanOrEqual(16);
    const bridge = { command: process.execPath, args: [main, "bridge", gateway.url] };
    const bridged = await probe(bridge, { restart: true, timeoutMs: 15_000, startTimeoutMs: 30_000 });
    expect(bridged).toMatchObject({ word: "STATELESS", era: "modern", transport: "stdio" });
    expect(bridged.instances).toMatchObject([
      { era: "modern", isAnyInstance: true },
      { era: "legacy", isAnyInstance: false },
    ]);
    await expect.poll(() => descendantsOf(pid).length, { timeout: 10_000 }).toBeLessThanOrEqual(before);
  } finally {
    await gateway.stop();
  }
});
