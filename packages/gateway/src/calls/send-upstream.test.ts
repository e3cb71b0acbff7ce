import { type Exchange, type JsonObject, type ModernRequest, method, notificationMethod } from "@lethe/protocol";
import { expect, test } from "vitest";
import { createFakeConnection, createFakeExchange, createFakeSessions, done, requestOf } from "../testing/fakes.ts";
import type { Session } from "../upstreams/sessions/session.ts";
import { transmit } from "./send-upstream.ts";

/** A call, and how it arrives at its upstream, which reports progress in so many steps. */
async function send(
  era: "modern" | "legacy",
  kind: "http" | "stdio",
  meta: JsonObject = { progressToken: "mine" },
  steps = 1,
) {
  const arrived: { request: ModernRequest; exchange: Exchange }[] = [];
  const { sessions } = createFakeSessions({ kind }, () =>
    createFakeConnection({
      era,
      async dispatch(request, exchange) {
        arrived.push({ request, exchange });
        const { progressToken = "" } = request.params._meta;
        for (let progress = 1; progress <= steps; progress++) {
          exchange.notify({ jsonrpc: "2.0", method: notificationMethod.progress, params: { progressToken, progress } });
        }
        return done;
      },
    }),
  );
  await sessions.start();
  const session = (await sessions.sessionFor(undefined)) as Session;
  const request = requestOf(method.callTool, { name: "tool" }, { meta });
  const exchange = createFakeExchange();
  await transmit({ target: { sessions }, request, exchange }, session);
  const [got] = arrived;
  return { exchange, heard: got?.exchange, token: got?.request.params._meta.progressToken };
}

test("sends the gateway's progress token to a modern HTTP server and returns progress under the caller's token (J-55)", async () => {
  const { exchange, token } = await send("modern", "http");
  expect(token).not.toBe("mine");
  expect(exchange.notes).toMatchObject([{ params: { progressToken: "mine", progress: 1 } }]);
});

test.each([
  ["legacy", "http"],
  ["legacy", "stdio"],
  ["modern", "stdio"],
] as const)(
  "passes a request on a %s connection over %s unwrapped if its caller wants no notifications",
  async (era, kind) => {
    const { exchange, heard } = await send(era, kind, {});
    expect(heard).toBe(exchange);
  },
);

test.each([
  ["modern", "http"],
  ["legacy", "http"],
  ["legacy", "stdio"],
  ["modern", "stdio"],
] as const)(
  "delivers the newest of many progress notifications of a %s server over %s before the result",
  async (era, kind) => {
    const { exchange } = await send(era, kind, { progressToken: "mine" }, 1_000);
    expect(exchange.notes.length).toBeLessThanOrEqual(201);
    expect(exchange.notes.at(-1)).toMatchObject({ params: { progressToken: "mine", progress: 1_000 } });
  },
);
