// Tests of transcripts: stable text of the messages of a conversation, in every revision and over every transport.
import { createServer } from "@lethe/server";
import { expect, test } from "vitest";
import { z } from "zod";
import { accept, combinations, testClient, toTranscript, type WireMessage } from "../index.ts";

function createOrders() {
  return createServer({ name: "orders", version: "1.0.0" }).tool("order", {
    async handler(_, ctx) {
      ctx.progress(1, 2);
      const { count } = await ctx.elicit("How many?", z.object({ count: z.number() }));
      return { orderId: Math.random(), id: crypto.randomUUID(), count, at: new Date().toISOString() };
    },
  });
}

for (const { name, run, revision, transport } of combinations(createOrders, {
  answers: [accept({ count: 2 })],
}).filter(({ asks }) => asks.includes("elicit"))) {
  test(`a conversation on ${name} has the same transcript in every run`, () =>
    run(async (client) => {
      await client.callTool("order");
      const text = client.transcript({ mask: ["orderId"] }).replace(/\\"orderId\\":[\d.e-]+/g, "");
      await expect(text).toMatchFileSnapshot(`testdata/${revision}-${transport}.txt`);
    }));
}

test("the messages of concurrent calls stay together", async () => {
  const waiting: (() => void)[] = [];
  const server = createServer({ name: "slow", version: "1" }).tool("wait", {
    inputSchema: z.object({ n: z.number() }),
    handler: ({ n }) =>
      new Promise<string>((resolve) => {
        waiting[n] = () => resolve(`${n}`);
      }),
  });
  const texts = new Set<string>();
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    await using client = await testClient(server);
    const calls = [client.callTool("wait", { n: 0 }), client.callTool("wait", { n: 1 })];
    await expect.poll(() => waiting.filter(Boolean).length).toBe(2);
    for (const n of order) {
      waiting[n]?.();
      await calls[n];
    }
    texts.add(client.transcript());
    waiting.length = 0;
  }
  expect(texts.size).toBe(1);
});

test("equal ids get equal placeholders, also inside of texts", () => {
  const taskId = "task-4f5e6d7c8b9a";
  const messages: WireMessage[] = [
    { sender: "client", message: { jsonrpc: "2.0", id: "a", method: "tasks/get", params: { taskId } } },
    {
      sender: "server",
      message: { jsonrpc: "2.0", id: "a", result: { taskId, text: `see ${taskId}`, at: "2026-01-02T03:04:05Z" } },
    },
  ];
  expect(toTranscript(messages)).toMatchInlineSnapshot(`
    "client: tasks/get (request 1)
    {
      "params": {
        "taskId": "<task 1>"
      }
    }

    server: result (request 1)
    {
      "result": {
        "at": "<time>",
        "taskId": "<task 1>",
        "text": "see <task 1>"
      }
    }
    "
  `);
});
