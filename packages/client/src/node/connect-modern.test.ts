// Tests of connections of 2026-07-28 over a message wire.
import type { JsonRpcMessage } from "@lethe/protocol";
import { expect, test } from "vitest";
import type { MessageWire } from "../call/message-wire.ts";
import { connectModern } from "./connect-modern.ts";

/** A peer that answers each request with what `answer` returns; undefined for silence. */
function wireTo(answer: (message: JsonRpcMessage) => object | undefined): MessageWire {
  const wire: MessageWire = {
    peer: "the peer",
    send(message) {
      const outcome = answer(message);
      const id = "id" in message ? message.id : undefined;
      if (outcome) queueMicrotask(() => wire.onMessage({ jsonrpc: "2.0", id, ...outcome } as JsonRpcMessage));
    },
    onMessage: () => {},
    closed: new Promise(() => {}),
    close: async () => {},
  };
  return wire;
}

const result = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: {},
  ttlMs: 0,
  cacheScope: "private",
};

test("a server of 2026-07-28 is connected after one request", async () => {
  const methods: unknown[] = [];
  const wire = wireTo((message) => {
    methods.push("method" in message && message.method);
    return { result };
  });
  const connection = await connectModern(wire);
  expect([connection.era, connection.revision]).toEqual(["modern", "2026-07-28"]);
  expect(methods).toEqual(["server/discover"]);
  await connection.close();
});

test("a server of an older revision is refused, and a silent one times out", async () => {
  const legacy = wireTo(() => ({ error: { code: -32601, message: "method not found" } }));
  await expect(connectModern(legacy)).rejects.toThrow("the peer");
  await expect(
    connectModern(
      wireTo(() => undefined),
      { startTimeoutMs: 1 },
    ),
  ).rejects.toMatchObject({ reason: "timeout" });
});
