// Policies of a gateway that a program serves itself, with createGateway and without serveGateway.
import { join } from "node:path";
import type { GatewaySettings } from "lethe/gateway";
import { afterEach, expect, it } from "vitest";
import { root } from "../processes/lethe.ts";
import { type RunningGateway, runGateway, stdioUpstream } from "./in-process.ts";

const traced = stdioUpstream("traced", [join(root, "e2e/servers/traced.mjs")]);
const everything = { effect: "allow" } as const;

type PolicyRule = NonNullable<GatewaySettings["policy"]>[number];

let running: RunningGateway | undefined;
afterEach(() => running?.close());

/** The tools that a caller sees at an endpoint, and what calling one of them by force answers. */
async function use(path: string, caller: string, tool: string) {
  const gateway = running as RunningGateway;
  const client = await gateway.connect({}, caller, path);
  const tools = (await client.listTools()).map(({ name }) => name).sort();
  const outcome = await client.callTool(tool).then(
    ({ isError }) => (isError ? "failed" : "done"),
    ({ message }: Error) => message,
  );
  await client.close();
  return { tools, outcome };
}

it("a policy of the settings hides tools and denies calls, at every endpoint", async () => {
  const policy: PolicyRule[] = [{ effect: "deny", callers: ["key bob"], tools: ["ask", "fail"] }, everything];
  running = await runGateway({ upstreams: [traced], settings: { policy }, callers: ["ada", "bob"] });
  expect((await use("", "ada", "traced__trace")).tools).toEqual(["traced__ask", "traced__fail", "traced__trace"]);
  expect(await use("", "bob", "traced__fail")).toEqual({
    tools: ["traced__trace"],
    outcome: expect.stringContaining("unknown tool: traced__fail"),
  });
  expect(await use("/traced", "bob", "fail")).toMatchObject({ outcome: expect.stringContaining("unknown tool: fail") });
  expect((await use("", "bob", "traced__trace")).outcome).toBe("done");
});

it("the policy of a named endpoint applies there, also after the endpoint was changed", async () => {
  const narrow: PolicyRule[] = [{ effect: "allow", callers: ["key ada"], tools: ["trace"] }];
  const settings = { endpoints: { narrow: { upstreams: ["traced"], policy: narrow } } };
  running = await runGateway({ upstreams: [traced], settings, callers: ["ada", "bob"] });
  expect(await use("/narrow", "ada", "traced__fail")).toEqual({
    tools: ["traced__trace"],
    outcome: expect.stringContaining("unknown tool: traced__fail"),
  });
  expect((await use("/narrow", "bob", "traced__trace")).tools).toEqual([]);
  expect((await use("", "bob", "traced__trace")).outcome).toBe("done");
  const wider = {
    narrow: { upstreams: ["traced"], policy: [...narrow, { effect: "allow", tools: ["ask"] } as const] },
  };
  running.gateway.reconfigure([traced], { endpoints: wider });
  expect((await use("/narrow", "bob", "traced__trace")).tools).toEqual(["traced__ask"]);
});
