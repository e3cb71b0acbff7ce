// The example of a callback: the release service approves over HTTP, and the task continues.
import { testClient } from "@lethe/server/testing";
import { expect, it } from "vitest";
import { createDeployments } from "./tasks-callback.ts";

it("deploys after a POST to the URL that the release service got", async () => {
  const server = createDeployments(async (_version, url) => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"approved":true}' };
    setImmediate(() => void server.fetch(new Request(url, init)));
  });
  await using client = await testClient(server);
  const { content } = await client.callTool("deploy", { version: "2.4.0" });
  expect(content).toEqual([{ type: "text", text: "2.4.0 was deployed." }]);
});
