// The subscriptions example, asked over its fetch handler.
import { describe, expect, it } from "vitest";
import { server } from "./subscriptions.ts";
import { createWireClient } from "./testing/wire-client.ts";

const client = createWireClient(server.fetch);

describe("subscriptions", () => {
  it("a subscriber is notified of a changed resource and of a new tool (E-14)", async () => {
    const stream = client.listen({ toolsListChanged: true, resourceSubscriptions: ["counter://value"] });
    const next = async () => (await stream.next()).value;
    expect(await next()).toMatchObject({ method: "notifications/subscriptions/acknowledged" });

    await client.callTool("increment");
    const told = [await next(), await next()];
    expect(told.map(({ method }) => method).sort()).toEqual([
      "notifications/resources/updated",
      "notifications/tools/list_changed",
    ]);
    await stream.return(undefined);
  });

  it("the tool added by the first increment is removed after its use", async () => {
    const tools = async () => (await client.ask("tools/list")).result?.tools;
    expect(await tools()).toMatchObject([{ name: "increment" }, { name: "reset" }]);
    await client.callTool("reset");
    expect(await tools()).toMatchObject([{ name: "increment" }]);
    const { result } = await client.ask("resources/read", { uri: "counter://value" });
    expect(result?.contents).toMatchObject([{ text: "0" }]);
  });
});
