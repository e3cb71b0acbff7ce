import { type Dispatch, type JsonRpcNotification, McpError, withReadyText } from "@lethe/protocol";
import { expect, test } from "vitest";
import { createRequestBuilder } from "../call/build-request.ts";
import { createExchange } from "../call/exchange.ts";
import { createMemoryDispatch, type MemoryOptions } from "./memory-dispatch.ts";

const plainExchange = createExchange({});

function start(serve: Dispatch, options?: MemoryOptions) {
  const { build } = createRequestBuilder({ capabilities: {}, revision: "2026-07-28" });
  const { dispatch, close, closed } = createMemoryDispatch("server", serve, options);
  return { dispatch, close, closed, call: () => build("tools/call", { name: "t", arguments: { a: 1 } }) };
}

test("only values that a transport could carry pass, and neither side can modify the other's objects", async () => {
  const kept = { resultType: "complete", list: [1], gone: undefined };
  const { dispatch, call } = start(async ({ params }) => {
    (params.arguments as { a: number }).a = 2;
    return withReadyText(kept);
  });
  const request = call();
  const result = await dispatch(request, plainExchange);
  expect(result).toEqual({ resultType: "complete", list: [1] });
  expect(Object.keys(result)).toEqual(["resultType", "list"]);
  (result.list as number[]).push(2);
  expect(kept.list).toEqual([1]);
  expect(request.params.arguments).toEqual({ a: 1 });
});

test("an error of the server is received without its cause", async () => {
  const cause = new Error("secret");
  const { dispatch, call } = start(async () => Promise.reject(new McpError(-32602, "no", { data: { a: 1 }, cause })));
  const error = await dispatch(call(), plainExchange).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: -32602, message: "no", data: { a: 1 } });
  expect((error as Error).cause).toBeUndefined();
});

test("any other thrown value becomes an internal error", async () => {
  const { dispatch, call } = start(async () => Promise.reject(new Error("secret")));
  const error = await dispatch(call(), plainExchange).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: -32603, message: "internal error" });
});

test("an invalid result is rejected as over a transport (A-7)", async () => {
  const { dispatch, call } = start(async () => ({ resultType: "unheard-of" }));
  await expect(dispatch(call(), plainExchange)).rejects.toMatchObject({ reason: "invalid" });
});

test("notifications arrive while the request runs, and none after it", async () => {
  const heard: JsonRpcNotification[] = [];
  let late = () => {};
  const { dispatch, call } = start(async (_request, exchange) => {
    const note: JsonRpcNotification = { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } };
    exchange.notify(note);
    late = () => void exchange.notify(note);
    return { resultType: "complete" };
  });
  await dispatch(call(), createExchange({ onNotification: (notification) => heard.push(notification) }));
  late();
  expect(heard).toHaveLength(1);
});

test("the server knows the caller, and learns when it leaves", async () => {
  const controller = new AbortController();
  let heard: { aborted: boolean; caller: string | undefined } | undefined;
  const { dispatch, call } = start(
    (_request, exchange) =>
      new Promise(() => {
        exchange.signal.addEventListener("abort", () => {
          heard = { aborted: true, caller: exchange.caller?.id };
        });
        controller.abort();
      }),
    { caller: { id: "me" } },
  );
  const running = dispatch(call(), createExchange({ signal: controller.signal }));
  await expect(running).rejects.toMatchObject({ reason: "cancelled" });
  expect(heard).toEqual({ aborted: true, caller: "me" });
});

test("a server that never answers runs into the time limit", async () => {
  const { dispatch, call } = start(() => new Promise(() => {}), { timeoutMs: 5 });
  await expect(dispatch(call(), plainExchange)).rejects.toMatchObject({ reason: "timeout" });
});

test("closing cancels open requests", async () => {
  const { dispatch, call, close, closed } = start(() => new Promise(() => {}));
  const running = dispatch(call(), plainExchange);
  close();
  await expect(running).rejects.toMatchObject({ reason: "closed" });
  await expect(dispatch(call(), plainExchange)).rejects.toMatchObject({ reason: "closed" });
  expect(await closed).toEqual({ reason: "closed by the client" });
});
