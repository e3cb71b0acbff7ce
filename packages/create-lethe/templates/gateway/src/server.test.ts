// Runs the gateway of servers.json in this process, and calls it without a port.
import assert from "node:assert/strict";
import { test } from "node:test";
import { testClient } from "@lethe/server/testing";
import { createGateway, readConfig } from "lethe/gateway";

test("the gateway offers the tools of its servers", async () => {
  const { config } = await readConfig(["servers.json"], { environment: process.env });
  const gateway = createGateway(config, { onProblem: console.error });
  try {
    await gateway.settled;
    const server = gateway.servableAt("/mcp");
    assert.ok(server, "the gateway serves /mcp");
    await using client = await testClient(server);
    const { content } = await client.callTool("notes__add", { text: "milk" });
    assert.deepEqual(content, [{ type: "text", text: "Note 1: milk" }]);
  } finally {
    await gateway.close();
  }
});
