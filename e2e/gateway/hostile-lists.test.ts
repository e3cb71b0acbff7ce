// A server with hostile lists: the gateway starts, serves other servers and logs a bounded number of lines.
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { type RunningGateway, runGateway, stdioUpstream } from "./in-process.ts";

const file = fileURLToPath(new URL("../servers/plain-lists.mjs", import.meta.url));
const upstreamOf = (name: string, lists: object) => stdioUpstream(name, [file, JSON.stringify({ name, ...lists })]);
const good = upstreamOf("good", { tools: [{ name: "ask" }], resources: ["doc:/good"] });
let running: RunningGateway | undefined;
afterEach(() => running?.close());

describe.each([
  // Without limits, each of these blocks the event loop for minutes or logs a line per item.
  ["one resource URI 60,000 times", { resources: ["a:b"], repeat: { resources: 60_000 } }],
  ["a resource template of 200,000 braces", { templates: ["{".repeat(200_000)] }],
  ["one tool name 100,000 times", { tools: [{ name: "same" }], repeat: { tools: 100_000 } }],
])("a server that lists %s", (_, lists) => {
  it("a server with hostile lists does not block other servers", async () => {
    running = await runGateway({ upstreams: [upstreamOf("evil", lists), good] });
    const client = await running.connect();
    expect(await client.callTool("good__ask", { uri: "doc:/good" })).toMatchObject({
      content: [{ text: "called good" }, {}, {}],
    });
    expect((await client.readResource("doc:/good")).contents[0]).toMatchObject({ text: "served by good" });
    expect(running.problems.length).toBeLessThan(5);
    await client.close();
  });
});

describe("a server with 30,000 tools and continuous change notifications", () => {
  it("a server with 30,000 tools and continuous change notifications is read at a rate limited by the length of its lists and does not block other servers", async () => {
    running = await runGateway({ upstreams: [upstreamOf("evil", { toolCount: 30_000, flipMs: 50 }), good] });
    const reads = () => running?.stderr.get("evil")?.length ?? 0;
    const client = await running.connect();
    const [began, before] = [performance.now(), reads()];
    do await client.callTool("good__ask", { uri: "doc:/good" });
    while (reads() < before + 3);
    // 5,000 tools are kept, and each adds 0.2 ms to the pause between two readings.
    const elapsedMs = performance.now() - began;
    expect(reads() - before).toBeLessThanOrEqual(2 + elapsedMs / 1_000);
    expect(running.problems).toEqual([expect.stringContaining("25000 more are dropped")]);
    expect((await client.listTools()).length).toBe(5_001);
    await client.close();
  });
});
