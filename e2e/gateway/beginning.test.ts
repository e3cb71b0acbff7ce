// Callers that connect before the upstream servers have started.
import { connectMemory, createClient } from "@lethe/client/edge";
import type { Dispatch } from "@lethe/protocol";
import { createGateway, type Gateway } from "lethe/gateway";
import { afterEach, expect, it } from "vitest";
import { stdioUpstream } from "./in-process.ts";

const keeper = new URL("../servers/keeper.mjs", import.meta.url).href;

/** The keeper, with a slow start. */
function slow(name: string, ms: number) {
  const program = `setTimeout(() => import(${JSON.stringify(keeper)}), ${ms})`;
  return stdioUpstream(name, ["--input-type=module", "-e", program]);
}

let gateway: Gateway | undefined;
afterEach(() => gateway?.close());

/** Like HTTP, sends each request to the endpoint that exists when it arrives. */
async function connect(path: string) {
  const dispatch: Dispatch = async (...asked) => {
    const servable = gateway?.servableAt(path);
    if (!servable) throw new Error(`nothing is served at ${path}`);
    return servable.dispatch(...asked);
  };
  const name = "the gateway";
  return createClient(await connectMemory(name, dispatch), name);
}

it.each(["/mcp", "/mcp/keeper"])("a list request to %s waits for the tools of a starting server", async (path) => {
  gateway = createGateway({ upstreams: [slow("keeper", 500)] });
  const client = await connect(path);
  const tools = await client.listTools();
  expect(tools.map(({ name }) => name.replace("keeper__", ""))).toContain("recall");
  await client.close();
});

it.each(["/mcp", "/mcp/keeper"])(
  "a list request to %s keeps waiting when the configuration of the starting server changes",
  async (path) => {
    gateway = createGateway({ upstreams: [slow("keeper", 60_000)] });
    const connecting = connect(path);
    gateway.reconfigure([slow("keeper", 500)]);
    const client = await connecting;
    expect((await client.listTools()).length).toBeGreaterThan(0);
    await client.close();
  },
);

it("a server that starts too slowly does not block the others", async () => {
  gateway = createGateway({ upstreams: [slow("late", 60_000), slow("keeper", 0)] }, { startupWaitMs: 2_000 });
  const client = await connect("/mcp");
  const { content } = await client.callTool("keeper__recall", {});
  expect(content).toHaveLength(1);
  const tools = await client.listTools();
  expect(tools.every(({ name }) => name.startsWith("keeper__"))).toBe(true);
  await client.close();
});
