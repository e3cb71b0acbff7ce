// A process of a modern revision may keep state between calls. Authenticated callers get a process each.
import { fileURLToPath } from "node:url";
import type { Client } from "@lethe/client";
import { afterEach, describe, expect, it } from "vitest";
import { type RunningGateway, runGateway, stdioUpstream } from "./in-process.ts";

const counter = fileURLToPath(new URL("../servers/counter.mjs", import.meta.url));
const callers = ["ann", "bob"];
let running: RunningGateway | undefined;
const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await running?.close();
  running = undefined;
});

interface Count {
  readonly pid: number;
  readonly n: number;
}

async function inc(client: Client): Promise<Count> {
  const { content } = await client.callTool("counter__inc", {});
  const [pid = 0, n = 0] = (content as unknown as [{ text: string }])[0].text.split(" ").map(Number);
  return { pid, n };
}

async function connectAs(...names: (string | undefined)[]): Promise<Client[]> {
  const opened = await Promise.all(names.map((name) => (running as RunningGateway).connect({}, name)));
  clients.push(...opened);
  return opened;
}

describe("a modern stdio server that counts", () => {
  it("a modern stdio server that counts counts 1, 2 separately for each of two API keys", async () => {
    running = await runGateway({ upstreams: [stdioUpstream("counter", [counter])], callers });
    const [ann, bob] = (await connectAs("ann", "bob")) as [Client, Client];
    const first = [await inc(ann), await inc(bob)];
    const second = [await inc(ann), await inc(bob)];
    expect([...first, ...second].map(({ n }) => n)).toEqual([1, 1, 2, 2]);
    expect(new Set([...first, ...second].map(({ pid }) => pid)).size).toBe(2);
  });

  it("a modern stdio server that counts is shared by all API keys if the configuration declares it stateless", async () => {
    running = await runGateway({ upstreams: [stdioUpstream("counter", [counter], { sharing: "shared" })], callers });
    const [ann, bob] = (await connectAs("ann", "bob")) as [Client, Client];
    expect([await inc(ann), await inc(bob), await inc(ann)].map(({ n }) => n)).toEqual([1, 2, 3]);
  });
});
