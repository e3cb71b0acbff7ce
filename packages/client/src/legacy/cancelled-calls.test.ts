// The record of cancelled calls that the server has not answered.
import { expect, it, onTestFinished, vi } from "vitest";
import { createCall } from "./call.ts";
import { CancelledCalls } from "./cancelled-calls.ts";
import { createFakeExchange, modernRequest } from "./testing/fake-legacy-server.ts";

it("stores the tool of a cancelled call without its arguments, which may be megabytes", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const left = new CancelledCalls(
    () => false,
    () => {},
  );
  const request = modernRequest("tools/call", { name: "slow", arguments: { text: "a long argument" } });
  left.add(createCall(7, { request, exchange: createFakeExchange(), task: undefined, turn: "shared" }));
  expect([...left.calls]).toEqual([
    { id: 7, conversation: undefined, request: { method: "tools/call", params: { name: "slow", uri: undefined } } },
  ]);
});
