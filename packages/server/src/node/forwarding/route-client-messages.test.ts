import type { JsonRpcResponse } from "@lethe/protocol";
import { expect, it, vi } from "vitest";
import { routeClientMessages } from "./route-client-messages.ts";

const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } } as const;

function begin() {
  const [deliverHere, sendTo, sendToAll] = [vi.fn(), vi.fn(), vi.fn()];
  const routed = routeClientMessages({ address: "a", deliverHere, sendTo, sendToAll });
  return { ...routed, deliverHere, sendTo, sendToAll };
}

function responseTo(id: unknown): JsonRpcResponse {
  return { jsonrpc: "2.0", id, result: {} } as JsonRpcResponse;
}

it("delivers a response to an input request of this process here", () => {
  const { deliver, deliverHere, sendTo } = begin();
  deliver("s", responseTo("a.q.1"));
  expect(deliverHere).toHaveBeenCalledExactlyOnceWith("s", responseTo("a.q.1"));
  expect(sendTo).not.toHaveBeenCalled();
});

it("sends another response to the process that its id names", () => {
  const { deliver, deliverHere, sendTo } = begin();
  deliver("s", responseTo("b.q.1"));
  expect(sendTo).toHaveBeenCalledExactlyOnceWith("b", { from: "a", sessionId: "s", word: responseTo("b.q.1") });
  expect(deliverHere).not.toHaveBeenCalled();
});

it.each(["q", ".q", "b c.q", `${"b".repeat(33)}.q`, 7, undefined])("drops a response with the id %j", (id) => {
  const { deliver, deliverHere, sendTo, sendToAll } = begin();
  deliver("s", responseTo(id));
  for (const route of [deliverHere, sendTo, sendToAll]) expect(route).not.toHaveBeenCalled();
});

it("delivers a cancellation here and sends it to all, and delivers other notifications here only", () => {
  const { deliver, deliverHere, sendToAll } = begin();
  const initialized = { jsonrpc: "2.0", method: "notifications/initialized" } as const;
  deliver("s", cancelled);
  deliver("s", initialized);
  expect(sendToAll).toHaveBeenCalledExactlyOnceWith({ from: "a", sessionId: "s", word: cancelled });
  expect(deliverHere.mock.calls).toEqual([
    ["s", cancelled],
    ["s", initialized],
  ]);
});

it("delivers what another process sent, and neither what came back nor what is no client message", () => {
  const { receive, deliverHere } = begin();
  receive({ from: "b", sessionId: "s", word: cancelled });
  receive({ from: "a", sessionId: "s", word: cancelled });
  receive({ from: "b", sessionId: 1, word: cancelled });
  receive({ from: "b", sessionId: "s", word: "cancelled" });
  receive(undefined);
  expect(deliverHere).toHaveBeenCalledExactlyOnceWith("s", cancelled);
});
