// Calls the server in memory: without a port, and over the same protocol as a real client.
import assert from "node:assert/strict";
import { test } from "node:test";
import { testClient } from "@lethe/server/testing";
import { createToolServer } from "./server.ts";

test("greet greets by name", async () => {
  await using client = await testClient(createToolServer());
  const { content } = await client.callTool("greet", { name: "Ada" });
  assert.deepEqual(content, [{ type: "text", text: "Hello, Ada!" }]);
});

test("divide returns the quotient as data", async () => {
  await using client = await testClient(createToolServer());
  const { structuredContent } = await client.callTool("divide", { dividend: 1, divisor: 4 });
  assert.deepEqual(structuredContent, { quotient: 0.25 });
});

test("divide explains that it cannot divide by zero", async () => {
  await using client = await testClient(createToolServer());
  const { isError, content } = await client.callTool("divide", { dividend: 1, divisor: 0 });
  assert.equal(isError, true);
  assert.deepEqual(content, [{ type: "text", text: "the divisor must not be 0" }]);
});
