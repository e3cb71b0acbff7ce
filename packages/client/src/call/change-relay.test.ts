import type { Exchange, JsonRpcNotification } from "@lethe/protocol";
import { expect, test } from "vitest";
import { createChangeRelay } from "./change-relay.ts";

const updated = (uri: string): JsonRpcNotification => ({
  jsonrpc: "2.0",
  method: "notifications/resources/updated",
  params: { uri },
});
const acknowledged: JsonRpcNotification = { jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged" };

test("a reader that does not read gets the newest thousand distinct changes, each once", () => {
  const told: unknown[] = [];
  const exchange = { notify: ({ params }: JsonRpcNotification) => told.push(params?.uri) > 0 } as unknown as Exchange;
  const relay = createChangeRelay(exchange);
  for (let index = 0; index <= 1_000; index++) relay.send(updated(`u${index}`));
  relay.send(updated("u1"));
  relay.open(acknowledged);
  expect(told).toHaveLength(1 + 1_000);
  expect(told.slice(0, 2)).toEqual([undefined, "u2"]);
  expect(told.slice(-2)).toEqual(["u1000", "u1"]);
});
