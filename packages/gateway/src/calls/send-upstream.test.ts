import { type Exchange, type ModernRequest, method, notificationMethod } from "@lethe/protocol";
import { expect, test } from "vitest";
import { createFakeConnection, createFakeExchange, createFakeSessions, done, requestOf } from "../testing/fakes.ts";
import type { Session } from "../upstreams/sessions/session.ts";
import { transmit } from "./send-upstream.ts";

/** A call with a progress token, and how it arrives at its upstream. */
async function send(era: "modern" | "legacy", kind: "http" | "stdio") {
  const arrived: { request: ModernRequest; exchange: Exchange }[] = [];
  const { sessions } = createFakeSessions({ kind }, () =>
    createFakeConnection({
      era,
      async dispatch(request, exchange) {
        arrived.push({ request, exchange });
        const { progressToken = "" } = request.params._meta;
        exchange.notify({
          jsonrpc: "2.0",
          method: notificationMethod.progress,
          params: { progressToken, progress: 1 },
        });
        return done;
      },
    }),
  );
  await sessions.start();
  const session = (await sessions.sessionFor(undefined)) as Session;
  const request = requestOf(method.callTool, { name: "tool" }, { meta: { progressToken: "mine" } });
  const exchange = createFakeExchange();
  await transmit({ target: { sessions }, request, exchange }, session);
  const [got] = arrived;
  return { exchange, heard: got?.exchange, token: got?.request.params._meta.progressToken };
}

test("a modern server over HTTP gets a token of ours, and its progress comes back under the caller's (J-55)", async () => {
  const { exchange, token } = await send("modern", "http");
  expect(token).not.toBe("mine");
  expect(exchange.notes).toMatchObject([{ params: { progressToken: "mine", progress: 1 } }]);
});

test.each([
  ["legacy", "http"],
  ["legacy", "stdio"],
  ["modern", "stdio"],
] as const)(
  "a %s connection over %s has tokens of its own: nothing stands between it and the caller",
  async (era, kind) => {
    const { exchange, heard } = await send(era, kind);
    expect(heard).toBe(exchange);
  },
);
