// A server may request roots outside of any call, at any time after initialize. Each caller's own process gets the roots
// of that caller.
import { fileURLToPath } from "node:url";
import type { Client } from "@lethe/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, it } from "vitest";
import { type RunningGateway, runGateway, stdioUpstream } from "./in-process.ts";

const program = fileURLToPath(new URL("../servers/roots-outside.mjs", import.meta.url));
let running: RunningGateway | undefined;
const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await running?.close();
  running = undefined;
});

async function connectAs(name: string | undefined, folder: string): Promise<Client> {
  const client = await (running as RunningGateway).connect({ roots: [{ uri: `file:///${folder}` }] }, name);
  clients.push(client);
  return client;
}

async function call(client: Client, tool: string): Promise<string> {
  const { content } = await client.callTool(`up__${tool}`, {});
  return (content as unknown as [{ text: string }])[0].text;
}

describe("a server that requests roots outside of calls", () => {
  it("a server that requests roots outside of calls receives the roots of each caller in that caller's process", async () => {
    running = await runGateway({ upstreams: [stdioUpstream("up", [program])], callers: ["ann", "bob"] });
    const [ann, bob] = [await connectAs("ann", "ann"), await connectAs("bob", "bob")];
    expect([await call(ann, "folders"), await call(bob, "folders")]).toEqual([
      "roots-1: file:///ann",
      "roots-1: file:///bob",
    ]);
    await call(ann, "refresh");
    expect([await call(ann, "folders"), await call(bob, "folders")]).toEqual([
      "roots-2: file:///ann",
      "roots-1: file:///bob",
    ]);
  });

  it("a server that requests roots outside of calls is notified of changed roots of a legacy client before its next call", async () => {
    running = await runGateway({ upstreams: [stdioUpstream("up", [program])], callers: ["ann", "bob"] });
    let folder = "first";
    const old = new OldClient({ name: "old", version: "1.0.0" }, { capabilities: { roots: { listChanged: true } } });
    old.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: `file:///${folder}` }] }));
    const headers = { authorization: running.authorizationOf("ann") };
    await old.connect(new OldTransport(new URL(running.url), { requestInit: { headers } }) as Transport);
    const folders = async () => {
      const { content } = await old.callTool({ name: "up__folders", arguments: {} });
      return (content as [{ text: string }])[0].text;
    };
    expect([await folders(), await folders()]).toEqual(["roots-1: file:///first", "roots-1: file:///first"]);
    folder = "second";
    await old.sendRootsListChanged();
    expect([await folders(), await folders()]).toEqual(["roots-2: file:///second", "roots-2: file:///second"]);
    await old.close();
  });

  it("a server that requests roots outside of calls is rejected if anonymous callers share its process", async () => {
    running = await runGateway({ upstreams: [stdioUpstream("up", [program])] });
    expect(await call(await connectAs(undefined, "ann"), "folders")).toBe("roots-1: refused -32601");
  });
});
