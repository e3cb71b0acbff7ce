import {
  type Dispatch,
  type Exchange,
  type JsonRpcNotification,
  type ListenFilter,
  type ModernRequest,
  metaKey,
  method,
  notificationMethod,
  onAbort,
  type Result,
  toAcknowledged,
} from "@lethe/protocol";
import { expect, it, vi } from "vitest";
import { withLastingSubscriptions } from "./lasting-subscriptions.ts";

const _meta = { [metaKey.protocolVersion]: "2026-07-28", [metaKey.clientCapabilities]: {} };
const listen = { id: 7, method: method.listen, params: { notifications: {}, _meta } } as unknown as ModernRequest;
const done: Result = { resultType: "complete" };

function setUp(granted: ListenFilter) {
  const streams: { end(): void; fail(): void }[] = [];
  const heard: JsonRpcNotification[] = [];
  const controller = new AbortController();
  const exchange: Exchange = {
    signal: controller.signal,
    caller: undefined,
    notify: (notification) => heard.push(notification) > 0,
    drained: () => Promise.resolve(),
  };
  const dispatch: Dispatch = (request, kept) =>
    new Promise((resolve, reject) => {
      streams.push({ end: () => resolve(done), fail: () => reject(new Error("broke off")) });
      kept.notify(toAcknowledged(request.id, granted));
    });
  const running = withLastingSubscriptions(dispatch)(listen, exchange);
  running.catch(() => {});
  return { streams, heard, running, leave: () => controller.abort() };
}

it("an accepted subscription is renewed and reports every change (E-17)", async () => {
  // No pause worth waiting for.
  vi.spyOn(Math, "random").mockReturnValue(-0.999);
  const { streams, heard, running, leave } = setUp({ toolsListChanged: true, resourceSubscriptions: ["x:/1"] });
  streams[0]?.fail();
  await vi.waitFor(() => expect(streams).toHaveLength(2));
  streams[1]?.end();
  await vi.waitFor(() => expect(streams).toHaveLength(3));
  const tag = { [metaKey.subscriptionId]: 7 };
  const missed = [
    { jsonrpc: "2.0", method: notificationMethod.toolsChanged, params: { _meta: tag } },
    { jsonrpc: "2.0", method: notificationMethod.resourceUpdated, params: { uri: "x:/1", _meta: tag } },
  ];
  expect(heard.slice(1)).toEqual([...missed, ...missed]);
  leave();
  streams[2]?.end();
  expect(await running).toEqual(done);
  vi.restoreAllMocks();
});

it("a refused or cancelled subscription ends", async () => {
  const refused = setUp({});
  refused.streams[0]?.end();
  expect(await refused.running).toEqual(done);
  const failed = setUp({});
  failed.streams[0]?.fail();
  await expect(failed.running).rejects.toThrow("broke off");
  const left = setUp({ toolsListChanged: true });
  left.streams[0]?.fail();
  left.leave();
  expect(await left.running.catch(() => done)).toEqual(done);
  expect(left.streams).toHaveLength(1);
});

it.each([
  [{ resourceSubscriptions: "x:/1" }, '"notifications.resourceSubscriptions" must be an array of strings'],
  [{ toolsListChanged: "yes" }, '"toolsListChanged" must be a boolean, got a string'],
  [undefined, '"notifications" must be an object, got nothing'],
])("an invalid acknowledgement ends the subscription with the reason: %j", async (notifications, why) => {
  const exchange = { signal: new AbortController().signal, caller: undefined, notify: vi.fn(), drained: vi.fn() };
  const ended = vi.fn();
  const dispatch: Dispatch = (request, kept) => {
    const { params, ...acknowledged } = toAcknowledged(request.id, {});
    return new Promise((_, reject) => {
      onAbort(kept, () => {
        ended();
        reject(new Error("ended from here"));
      });
      kept.notify({ ...acknowledged, params: { ...params, notifications } });
    });
  };
  const listening = withLastingSubscriptions(dispatch)(listen, exchange);
  await expect(listening).rejects.toMatchObject({ code: -32603, message: expect.stringContaining(why) });
  expect(exchange.notify).not.toHaveBeenCalled();
  expect(ended).toHaveBeenCalledOnce();
});
