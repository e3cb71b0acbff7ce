import { expect, test } from "vitest";
import type { MessageWire } from "./message-wire.ts";
import { createRequester } from "./requester.ts";

const wire: MessageWire = {
  peer: "fake",
  send() {},
  onMessage: () => {},
  closed: new Promise(() => {}),
  close: async () => {},
};

test("an error without an id belongs to the only open request, and to none of several (J-29)", async () => {
  const requester = createRequester(wire);
  const first = requester.request(1, "a", undefined);
  const second = requester.request(2, "b", undefined);
  const refusal = { jsonrpc: "2.0", error: { code: -32700, message: "what?" } } as const;
  requester.settle(refusal);
  requester.settle({ jsonrpc: "2.0", id: 1, result: {} });
  expect(await first).toEqual({});
  requester.settle(refusal);
  await expect(second).rejects.toMatchObject({ code: -32700 });
});
