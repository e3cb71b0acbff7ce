// Calls the server in memory: without a port, and over the same protocol as a real client.
import assert from "node:assert/strict";
import { test } from "node:test";
import { testClient } from "@lethe/server/testing";
import { createDiceServer } from "./server.ts";

test("show_dice returns each roll and the total", async () => {
  await using client = await testClient(createDiceServer(() => 3));
  const { structuredContent } = await client.callTool("show_dice", { sides: 6, count: 2 });
  assert.deepEqual(structuredContent, { rolls: [3, 3], total: 6 });
});

test("show_dice names a page that the server has", async () => {
  await using client = await testClient(createDiceServer());
  const [tool] = await client.listTools();
  const ui = tool?._meta?.ui as { resourceUri: string } | undefined;
  const { contents } = await client.readResource(ui?.resourceUri ?? "");
  assert.equal(contents[0]?.mimeType, "text/html;profile=mcp-app");
});
