import { type JsonObject, metaKey, notificationMethod } from "@lethe/protocol";
import { expect, test } from "vitest";
import { extensionFilterOf } from "../extensions/extension-filter.ts";
import { createFakeExchange, requestOf } from "../testing/fakes.ts";
import { ConnectionExchange, mintProgressToken, UpstreamExchange } from "./upstream-exchange.ts";

const note = (method: string, params: JsonObject) => ({ jsonrpc: "2.0", method, params }) as const;

test("forwards progress only under the caller's own token (J-55)", () => {
  const exchange = createFakeExchange();
  const token = mintProgressToken();
  const upstreamExchange = new UpstreamExchange(
    exchange,
    requestOf("tools/call", {}, { meta: { progressToken: "mine" } }),
    token,
  );
  expect(upstreamExchange.notify(note(notificationMethod.progress, { progressToken: token, progress: 1 }))).toBe(true);
  upstreamExchange.notify(note(notificationMethod.progress, { progressToken: "mine", progress: 2 }));
  expect(exchange.notes.map(({ params }) => params)).toEqual([{ progressToken: "mine", progress: 1 }]);
});

test("forwards log messages only to a caller that requests them, from the requested level (E-40)", () => {
  const exchange = createFakeExchange();
  const silent = new UpstreamExchange(exchange, requestOf("tools/call"), undefined);
  silent.notify(note(notificationMethod.message, { level: "error", data: 1 }));
  const request = requestOf("tools/call", {}, { meta: { [metaKey.logLevel]: "warning" } });
  const upstreamExchange = new UpstreamExchange(exchange, request, undefined);
  for (const level of ["info", "error", "loud"])
    upstreamExchange.notify(note(notificationMethod.message, { level, data: level }));
  expect(exchange.notes.map(({ params }) => params?.data)).toEqual(["error"]);
});

test("forwards notifications that the core does not define only to a caller that declares extensions", () => {
  const custom = note("notifications/x.y/z", { half: true });
  for (const [extensions, count] of [
    [{ "x.y/z": {} }, 1],
    [{ "io.modelcontextprotocol/tasks": {} }, 0],
  ] as const) {
    const exchange = createFakeExchange();
    new UpstreamExchange(exchange, requestOf("tools/call", {}, { capabilities: { extensions } }), undefined).notify(
      custom,
    );
    expect(exchange.notes).toHaveLength(count);
  }
});

test.each([
  [{ "x.y/z": {} }, {}, 1],
  [{ "x.y/z": {} }, { extensions: { deny: ["x.y/*"] } }, 0],
  [{ "io.modelcontextprotocol/tasks": {} }, {}, 0],
])(
  "a connection that translates progress by itself passes notifications of %j with the settings %j on %i times",
  (extensions, settings, count) => {
    const exchange = createFakeExchange();
    const request = requestOf("tools/call", {}, { capabilities: { extensions } });
    const own = new ConnectionExchange(exchange, request, extensionFilterOf(settings));
    own.notify(note("notifications/x.y/z", {}));
    own.notify(note(notificationMethod.progress, { progressToken: 1, progress: 1 }));
    expect(exchange.notes).toHaveLength(count + 1);
  },
);

test("forwards no other notifications, because a request is not a subscription", () => {
  const exchange = createFakeExchange("ann");
  const upstreamExchange = new UpstreamExchange(exchange, requestOf("tools/call"), undefined);
  for (const method of [notificationMethod.toolsChanged, notificationMethod.resourceUpdated, "x/y"])
    upstreamExchange.notify(note(method, {}));
  expect(exchange.notes).toEqual([]);
  expect([upstreamExchange.caller, upstreamExchange.signal]).toEqual([{ id: "ann" }, exchange.signal]);
});
