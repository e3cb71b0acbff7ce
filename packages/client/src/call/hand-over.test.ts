import { expect, it } from "vitest";
import { handOver } from "./hand-over.ts";
import type { MessageWire } from "./message-wire.ts";

const wire = { peer: "s" } as MessageWire;

it("a listener gets the message and its origin", () => {
  const heard: unknown[] = [];
  wire.onMessage = (...message) => heard.push(message);
  handOver(wire, { jsonrpc: "2.0", method: "m" }, 7);
  expect(heard).toEqual([[{ jsonrpc: "2.0", method: "m" }, 7]]);
});

it("a listener that fails makes the message invalid", () => {
  const cause = new TypeError("a defect");
  wire.onMessage = () => {
    throw cause;
  };
  const expected = { name: "TransportError", reason: "invalid", cause };
  expect(() => handOver(wire, { jsonrpc: "2.0", method: "m" })).toThrow(
    expect.objectContaining({ ...expected, message: 's: "m" could not be handled' }),
  );
  expect(() => handOver(wire, { jsonrpc: "2.0", id: 1, result: {} })).toThrow(
    expect.objectContaining({ ...expected, message: "s: a response could not be handled" }),
  );
});
