// The cart of the example, over every revision and transport.
import { createMemorySessionStateStore } from "@lethe/server/stores";
import { accept, combinations } from "@lethe/server/testing";
import { describe, expect, it } from "vitest";
import { createShop } from "./shopping-cart.ts";

const handlesOf = (result: { _meta?: object }): object =>
  (result._meta as Record<string, object>)["lethe/session_handles"] as object;

describe.each([
  ["in its handle", () => createShop()],
  ["in a store", () => createShop({ sessionStore: createMemorySessionStateStore() })],
])("a cart %s", (_where, create) => {
  it.each(combinations(create))("is filled in $name", async ({ run }) => {
    await run(async (client) => {
      const added = await client.callTool("add_to_cart", { name: "tea" });
      const more = await client.callTool("add_to_cart", { name: "milk", count: 2, ...handlesOf(added) });
      expect(more.content[0]).toMatchObject({ text: "The cart contains 1 × tea, 2 × milk." });
    });
  });

  const asking = combinations(create, { answers: [accept({ confirm: true })] });
  it.each(asking.filter(({ asks }) => asks.includes("elicit")))("is bought in $name", async ({ run }) => {
    await run(async (client) => {
      const added = await client.callTool("add_to_cart", { name: "tea", count: 3 });
      const bought = await client.callTool("check_out", { ...handlesOf(added) });
      expect(bought.content[0]).toMatchObject({ text: "Bought 3 articles." });
    });
  });
});
