// Our client against the official SDK's server, at revision 2026-07-28 on stdio.
import { fileURLToPath } from "node:url";
import type { Change, Client } from "@lethe/client";
import { connect } from "@lethe/client/node";
import { afterAll, beforeAll, expect, test } from "vitest";

const script = fileURLToPath(new URL("../servers/official-v2-stdio.mjs", import.meta.url));
let client: Client;

beforeAll(async () => {
  const target = { command: process.execPath, args: [script] };
  client = await connect(target, {
    legacy: false,
    elicit: () => ({ action: "accept", content: { name: "Ada" } }),
    sample: () => ({ role: "assistant", model: "test", content: { type: "text", text: "sampled" } }),
    roots: [{ uri: "file:///tmp/lethe" }],
  });
});
afterAll(() => client.close());

test("the client discovers the official stdio server as a modern server", () => {
  expect(client.connection).toMatchObject({ era: "modern", revision: "2026-07-28" });
});

test("the client lists and uses tools and resources of the official stdio server", async () => {
  expect((await client.listTools()).map(({ name }) => name)).toContain("add");
  expect((await client.callTool("add", { a: 1, b: 2 })).content).toEqual([{ type: "text", text: "3" }]);
  expect((await client.readResource("test://note")).contents).toMatchObject([{ text: "a note" }]);
});

test("the client receives progress and log messages before the result", async () => {
  const heard: unknown[] = [];
  await client.callTool(
    "count",
    {},
    {
      onProgress: ({ progress }) => heard.push(progress),
      onLog: ({ data }) => heard.push(data),
    },
  );
  expect(heard).toEqual([1, 2, 3, "counted"]);
});

test("the client answers an elicitation, a sampling request and a roots request in one round", async () => {
  const { content } = await client.callTool("ask");
  expect(content).toEqual([{ type: "text", text: "Ada, sampled, file:///tmp/lethe" }]);
});

test("the client is notified of a change at the official stdio server", async () => {
  const changes: Change[] = [];
  const subscription = await client.subscribe({ toolsListChanged: true }, (change) => changes.push(change));
  await client.callTool("grow");
  await expect.poll(() => changes).toContainEqual({ kind: "tools", isSynthetic: false });
  await subscription.close();
});

test("fifty concurrent calls to the official stdio server each get their own result", async () => {
  const sums = await Promise.all(Array.from({ length: 50 }, (_, a) => client.callTool("add", { a, b: 1 })));
  expect(sums.map(({ content }) => content[0])).toEqual(sums.map((_, a) => ({ type: "text", text: String(a + 1) })));
});
