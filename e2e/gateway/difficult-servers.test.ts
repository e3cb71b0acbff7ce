// Difficult servers behind one `lethe gateway`, started like an operator does: one that fails on server/discover,
// one that ends with a second stream, one that requests roots outside of calls, and one that stops while it is listed.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Client } from "@lethe/client";
import { connect } from "@lethe/client/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningGateway, startGatewayWith } from "../processes/lethe.ts";
import { type DownWhileListed, startDiscover500, startDownWhileListed } from "../servers/odd-http.ts";
import { type OneStream, startOneStream } from "../servers/one-stream.ts";

const rootsOutside = fileURLToPath(new URL("../servers/roots-outside.mjs", import.meta.url));
const keyOf = (caller: string) => `key-of-${caller}`.padEnd(24, "-");

let folder: string;
let gateway: RunningGateway;
let oneStream: OneStream;
let downWhileListed: DownWhileListed;
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lethe-difficult-"));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const discover500 = await startDiscover500();
  oneStream = await startOneStream();
  downWhileListed = await startDownWhileListed();
  cleanups.push(discover500.close, oneStream.close, downWhileListed.close);
  const config = {
    mcpServers: {
      discover500: { url: discover500.url },
      oneStream: { type: "sse", url: oneStream.url },
      rootsOutside: { command: process.execPath, args: [rootsOutside] },
      downWhileListed: { url: downWhileListed.url },
    },
    gateway: {
      auth: { keys: ["ann", "bob"].map((id) => ({ id, key: keyOf(id) })) },
      restart: { firstMs: 50, maxMs: 200 },
      // A short idle time lets the callers of a server take turns.
      upstreams: { oneStream: { sessions: { waitMs: 20_000, idleMs: 300, onLoss: "continue" } } },
    },
  };
  const file = join(folder, "servers.json");
  await writeFile(file, JSON.stringify(config));
  gateway = await startGatewayWith({ XDG_STATE_HOME: folder }, file, "--port", "0", "--log", "json");
  cleanups.push(() => gateway.stop());
});
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

async function withClient<T>(name: string, caller: string, use: (client: Client) => Promise<T>): Promise<T> {
  const headers = { authorization: `Bearer ${keyOf(caller)}` };
  const client = await connect(`${gateway.url}/${name}`, { headers, roots: [{ uri: `file:///${caller}` }] });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

async function call(client: Client, tool: string, args: { text?: string } = {}): Promise<string> {
  const { content } = await client.callTool(tool, args);
  return (content as unknown as [{ text: string }])[0].text;
}

describe("lethe gateway", () => {
  it("lethe gateway serves a server that answers server/discover with status 500", async () => {
    expect(await withClient("discover500", "ann", (client) => call(client, "echo", { text: "hello" }))).toBe("hello");
  });

  it("lethe gateway sends each caller's roots to a server that requests them outside of calls", async () => {
    const folders = (caller: string) => withClient("rootsOutside", caller, (client) => call(client, "folders"));
    expect(await Promise.all([folders("ann"), folders("bob")])).toEqual([
      "roots-1: file:///ann",
      "roots-1: file:///bob",
    ]);
  });

  it("lethe gateway answers callers of a server that ends with a second stream one after the other, without an error", async () => {
    const remember = (caller: string) => withClient("oneStream", caller, (client) => call(client, "remember"));
    expect(await remember("ann")).toBe("kept 1");
    await expect.poll(() => gateway.output.stderr, { timeout: 10_000 }).toContain("upstream.single-tenant");
    const ends = oneStream.ends();
    const answer = expect.stringMatching(/^kept [12]$/);
    expect([await remember("bob"), await remember("ann")]).toEqual([answer, answer]);
    expect(await Promise.all([remember("ann"), remember("bob")])).toEqual([answer, answer]);
    expect(oneStream.ends()).toBe(ends);
  });

  it("lethe gateway answers 503 for a server that stops while it is listed, and lists it again after it returns", async () => {
    const names = () =>
      withClient("downWhileListed", "ann", async (client) => (await client.listTools()).map(({ name }) => name));
    await expect(names()).rejects.toMatchObject({ data: { reason: "unavailable", retryAfterMs: expect.any(Number) } });
    downWhileListed.recover();
    await expect.poll(() => names().catch(String), { timeout: 30_000 }).toEqual(["echo"]);
  });
});
