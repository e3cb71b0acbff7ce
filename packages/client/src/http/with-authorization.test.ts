import { describe, expect, test, vi } from "vitest";
import type { Authorizer } from "../auth/authorizer.ts";
import { Deadline } from "../call/deadline.ts";
import type { HttpAnswer, HttpRequest } from "./http-send.ts";
import { withAuthorization } from "./with-authorization.ts";

const url = new URL("https://s.example/mcp");
const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "add" } });
const request: HttpRequest = { url, method: "POST", headers: { accept: "x", authorization: "old" }, body };

/** Answers with these statuses, one after the other. */
function answering(...statuses: number[]) {
  const discard = vi.fn();
  const sent: HttpRequest[] = [];
  const send = async (request: HttpRequest): Promise<HttpAnswer> => {
    sent.push(request);
    return { status: statuses[sent.length - 1] ?? 200, headers: () => undefined, discard } as unknown as HttpAnswer;
  };
  return { send, sent, discard };
}

test("the authorizer's headers override those of the request (B-78)", async () => {
  const { send, sent } = answering(200);
  const authorizer: Authorizer = { authorize: () => ({ authorization: "Bearer t" }), onUnauthorized: vi.fn() };
  expect((await withAuthorization(send, authorizer)(request)).status).toBe(200);
  expect(sent).toEqual([{ ...request, headers: { accept: "x", authorization: "Bearer t" } }]);
  expect(authorizer.onUnauthorized).not.toHaveBeenCalled();
});

test("a rejected request is repeated with new headers, and the first body is discarded", async () => {
  const { send, sent, discard } = answering(401, 403, 200);
  let count = 0;
  const authorizer: Authorizer = {
    authorize: async () => ({ authorization: `Bearer ${++count}` }),
    onUnauthorized: vi.fn(async () => "retry" as const),
    onAnswer: vi.fn(),
  };
  expect((await withAuthorization(send, authorizer)(request)).status).toBe(200);
  expect(sent.map(({ headers }) => headers.authorization)).toEqual(["Bearer 1", "Bearer 2", "Bearer 3"]);
  expect(discard).toHaveBeenCalledTimes(2);
  expect(authorizer.onAnswer).toHaveBeenCalledTimes(3);
  const common = { request, headers: expect.any(Function), operation: "tools/call add" };
  expect(vi.mocked(authorizer.onUnauthorized).mock.calls).toEqual([
    [{ ...common, sent: { authorization: "Bearer 1" }, status: 401 }],
    [{ ...common, sent: { authorization: "Bearer 2" }, status: 403 }],
  ]);
});

test("a response that the authorizer cannot handle is returned", async () => {
  const { send, discard } = answering(403);
  const authorizer: Authorizer = { authorize: () => ({}), onUnauthorized: async () => "report" };
  expect((await withAuthorization(send, authorizer)(request)).status).toBe(403);
  expect(discard).not.toHaveBeenCalled();
});

test("ending a session requires no sign-in", async () => {
  const { send, sent } = answering(401);
  const authorizer: Authorizer = { authorize: () => ({ authorization: "Bearer t" }), onUnauthorized: vi.fn() };
  const answer = await withAuthorization(send, authorizer)({ url, method: "DELETE", headers: {} });
  expect(answer.status).toBe(401);
  expect(sent[0]?.headers).toEqual({ authorization: "Bearer t" });
  expect(authorizer.onUnauthorized).not.toHaveBeenCalled();
});

test("the error of a failed authorization is the request's error, and no socket stays open", async () => {
  const { send, discard } = answering(401);
  const onUnauthorized = () => Promise.reject(new Error("no"));
  await expect(withAuthorization(send, { authorize: () => ({}), onUnauthorized })(request)).rejects.toThrow("no");
  expect(discard).toHaveBeenCalledOnce();
});

describe("the operation is read from the body in every era", () => {
  test.each([
    [{ method: "resources/read", params: { uri: "x:y" } }, "resources/read x:y"],
    [{ method: "tools/list" }, "tools/list"],
    [[{ method: "a" }], "POST"],
    [undefined, "POST"],
  ])("%j", async (message, operation) => {
    const { send } = answering(401);
    const onUnauthorized = vi.fn(async () => "report" as const);
    const { body: _, ...bare } = request;
    const sent = message === undefined ? bare : { ...bare, body: JSON.stringify(message) };
    await withAuthorization(send, { authorize: () => ({}), onUnauthorized })(sent);
    expect(onUnauthorized).toHaveBeenCalledWith(expect.objectContaining({ operation }));
  });
});

test("the clock of the request stops while the user authorizes, and continues afterwards", async () => {
  vi.useFakeTimers();
  try {
    const { send } = answering(401, 200);
    const deadline = new Deadline("it", { timeoutMs: 100, maxTotalMs: 150 }, undefined);
    const onUnauthorized = () =>
      new Promise<"retry">((resolve) => {
        setTimeout(() => resolve("retry"), 10_000);
      });
    const sent = withAuthorization(send, { authorize: () => ({}), onUnauthorized })({ ...request, signal: deadline });
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await sent).status).toBe(200);
    expect(deadline.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(101);
    expect(deadline.aborted).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
