// The relay of client messages in memory.
import type { JsonRpcResponse } from "@lethe/protocol";
import { expect, it, vi } from "vitest";
import { createMemoryClientMessageRelay } from "./client-message-relay.ts";

const answer: JsonRpcResponse = { jsonrpc: "2.0", id: "q", result: {} };

it("delivers a client message to the listeners of its session until they stop", () => {
  const { deliver, listen } = createMemoryClientMessageRelay();
  const heard: unknown[] = [];
  const stopFirst = listen("a", (word) => heard.push([1, word]));
  const stopSecond = listen("a", (word) => heard.push([2, word]));
  listen("b", () => expect.unreachable());
  deliver("a", answer);
  stopFirst();
  stopFirst();
  deliver("a", answer);
  stopSecond();
  deliver("a", answer);
  expect(heard).toEqual([1, 2, 2].map((listener) => [listener, answer]));
});

it("warns once of a response that no call waits for, and never of other messages", () => {
  const onWarning = vi.fn();
  const { deliver, listen } = createMemoryClientMessageRelay({ onWarning });
  const stop = listen("a", () => {});
  deliver("a", answer);
  deliver("b", { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
  expect(onWarning).not.toHaveBeenCalled();
  stop();
  for (const session of ["a", "b"]) deliver(session, answer);
  expect(onWarning).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("legacy.clientMessages"));
});
