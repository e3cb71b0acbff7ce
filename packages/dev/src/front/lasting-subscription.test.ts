// A subscription while the code that answers it is replaced.
import {
  type Dispatch,
  type Exchange,
  type JsonRpcNotification,
  type ListenFilter,
  McpError,
  type ModernRequest,
  metaKey,
  toAcknowledged,
} from "@lethe/protocol";
import { expect, it } from "vitest";
import { LastingSubscription } from "./lasting-subscription.ts";

const filter: ListenFilter = { toolsListChanged: true, resourceSubscriptions: ["note://one"] };
const request = {
  id: 7,
  method: "subscriptions/listen",
  params: { _meta: {}, notifications: filter },
} as unknown as ModernRequest;

function createCaller() {
  const seen: string[] = [];
  const leaving = new AbortController();
  const exchange: Exchange = {
    signal: leaving.signal,
    caller: undefined,
    notify(notification: JsonRpcNotification) {
      expect(notification.params?._meta).toEqual({ [metaKey.subscriptionId]: 7 });
      seen.push(notification.method.replace("notifications/", ""));
      return true;
    },
    drained: () => Promise.resolve(),
  };
  return { seen, exchange, leave: () => leaving.abort() };
}

/** Code that acknowledges a subscription and answers it when it is aborted or told to. */
function createCode() {
  const open: AbortSignal[] = [];
  let fail: (error: Error) => void = () => {};
  const dispatch: Dispatch = (_request, exchange) => {
    open.push(exchange.signal);
    exchange.notify(toAcknowledged(7, filter));
    return new Promise((resolve, reject) => {
      fail = reject;
      exchange.signal.addEventListener("abort", () => resolve({ resultType: "complete" }));
    });
  };
  return { open, dispatch, fail: (error: Error) => fail(error) };
}

it("a subscription continues on new code, which tells its client what changed and acknowledges nothing again", async () => {
  const { seen, exchange } = createCaller();
  const [before, after] = [createCode(), createCode()];
  const subscription = new LastingSubscription(request, exchange);
  subscription.attach(before.dispatch);
  subscription.attach(after.dispatch, ["tools", "prompts"]);
  expect(before.open[0]?.aborted).toBe(true);
  expect(seen).toEqual(["subscriptions/acknowledged", "tools/list_changed", "resources/updated"]);
  subscription.close();
  expect(await subscription.ended).toEqual({ resultType: "complete", _meta: { [metaKey.subscriptionId]: 7 } });
});

it("a subscription outlives code that crashes, but not another error of the code", async () => {
  const { exchange } = createCaller();
  const [crashing, refusing] = [createCode(), createCode()];
  const subscription = new LastingSubscription(request, exchange);
  subscription.attach(crashing.dispatch);
  crashing.fail(new McpError(-32603, "the process ended", { data: { reason: "lost" } }));
  subscription.attach(refusing.dispatch);
  refusing.fail(new McpError(-32602, "no such resource"));
  await expect(subscription.ended).rejects.toThrow("no such resource");
});

it("a subscription whose client leaves ends at the code", async () => {
  const { exchange, leave } = createCaller();
  const code = createCode();
  const subscription = new LastingSubscription(request, exchange);
  subscription.attach(code.dispatch);
  leave();
  expect(code.open[0]?.aborted).toBe(true);
  await subscription.ended;
});
