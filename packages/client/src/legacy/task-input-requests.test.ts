// Input requests of tasks at a legacy server (D-38): limits, and messages to the server at the end.
import type { JsonRpcRequest } from "@lethe/protocol";
import { relatedTaskKey, revisionNamed } from "@lethe/protocol/revisions";
import { expect, it, onTestFinished, vi } from "vitest";
import { SparseMap } from "../call/sparse-collections.ts";
import { type TaskInputRequestOptions, TaskInputRequests } from "./task-input-requests.ts";
import { createFakeExchange, modernRequest } from "./testing/fake-legacy-server.ts";

function create(options: Partial<TaskInputRequestOptions> = {}) {
  let lastId = 0;
  const requester = {
    mint: () => ++lastId,
    request: vi.fn(() => new Promise<never>(() => {})),
    cancel: vi.fn(),
    respond: vi.fn(),
    refuse: vi.fn(),
  };
  const questions = new TaskInputRequests({ requester, revision: revisionNamed("2025-11-25"), askMs: 5, ...options });
  onTestFinished(() => questions.closeAll());
  const listenFor = (taskId: string, caller?: string) =>
    questions.listenFor(taskId, modernRequest("tasks/get", { taskId }), createFakeExchange(caller));
  const ask = (taskId: string, id = `of ${taskId}`) => questions.receiveInputRequest(elicitation(taskId, id));
  return { requester, questions, listenFor, ask };
}

function elicitation(taskId: string, id: string): JsonRpcRequest {
  const params = { message: "Who?", requestedSchema: { type: "object", properties: {} } };
  const _meta = { [relatedTaskKey]: { taskId } };
  return { jsonrpc: "2.0", id, method: "elicitation/create", params: { ...params, _meta } };
}

it("above the limit, evicts the least recently read task with its input requests", async () => {
  const { requester, questions, listenFor, ask } = create({ maxTasks: 2 });
  listenFor("a");
  listenFor("b");
  ask("a");
  ask("b");
  listenFor("a");
  listenFor("c");
  expect(requester.refuse.mock.calls).toEqual([["of b", { code: -1, message: "too many tasks" }]]);
  expect(await questions.read("b", false)).toBeUndefined();
  expect(await questions.read("a", false)).toHaveProperty("q1");
  expect(ask("b")).toBe(false);
});

it("rejects further input requests of a task above the limit (E-99)", async () => {
  const { requester, questions, listenFor, ask } = create();
  listenFor("a");
  for (let count = 0; count < 101; count++) ask("a", `${count}`);
  expect(requester.refuse.mock.calls).toEqual([["100", { code: -1, message: "too many open input requests" }]]);
  expect(Object.keys((await questions.read("a", false)) ?? {})).toHaveLength(100);
});

it("the server withdraws an input request by its id, without a look at those of other tasks", async () => {
  const { questions, listenFor, ask } = create();
  for (const task of ["a", "b"]) {
    listenFor(task);
    ask(task);
  }
  ask("a", "the second of a");
  const looks = vi.spyOn(SparseMap.prototype, "values");
  onTestFinished(() => looks.mockRestore());
  for (const id of ["of a", "of a", "unknown"]) questions.withdraw(id);
  expect(looks).not.toHaveBeenCalled();
  expect(Object.keys((await questions.read("a", false)) ?? {})).toEqual(["q2"]);
  expect(Object.keys((await questions.read("b", false)) ?? {})).toEqual(["q1"]);
});

it("an input request without the name of its task belongs to the task whose tasks/result brought it, until that ends", async () => {
  const { requester, questions, listenFor } = create();
  listenFor("a");
  listenFor("b");
  await questions.read("b", true);
  const { params, ...request } = elicitation("b", "1");
  const unnamed = { ...request, params: { ...params, _meta: {} } };
  expect(questions.receiveInputRequest(unnamed, 1)).toBe(true);
  expect(await questions.read("b", false)).toHaveProperty("q1");
  questions.close("b", "the task was cancelled");
  expect(requester.refuse).toHaveBeenCalledOnce();
  expect(questions.receiveInputRequest({ ...unnamed, id: "2" }, 1)).toBe(false);
});

it("one tasks/result waits for the server, and is cancelled when the task closes", async () => {
  const { requester, questions, listenFor } = create();
  listenFor("a");
  expect(await Promise.all([questions.read("a", true), questions.read("a", true)])).toEqual([undefined, undefined]);
  expect(requester.request.mock.calls).toEqual([[1, "tasks/result", { taskId: "a" }]]);
  questions.close("a", "the task was cancelled");
  expect(requester.cancel.mock.calls).toEqual([[1, "the task was cancelled"]]);
  questions.close("a", "again");
  questions.close("b", "unknown");
  expect(requester.cancel).toHaveBeenCalledOnce();
});

it("starts a new tasks/result for the next reader when one ended without an input request", async () => {
  const { requester, questions, listenFor } = create({ askMs: 60_000 });
  requester.request.mockRejectedValueOnce(new Error("lost"));
  listenFor("a");
  expect(await questions.read("a", true)).toBeUndefined();
  void questions.read("a", true);
  expect(requester.request).toHaveBeenCalledTimes(2);
  questions.closeAll();
});

it("a waiting reader gets the input request at once", async () => {
  const { questions, listenFor, ask } = create({ askMs: 60_000 });
  listenFor("a");
  const reading = questions.read("a", true);
  ask("a");
  expect(await reading).toMatchObject({ q1: { method: "elicitation/create", params: { message: "Who?" } } });
});

it("sends none of several responses if one does not fit (E-29)", () => {
  const { requester, questions, listenFor, ask } = create();
  listenFor("a");
  ask("a", "1");
  ask("a", "2");
  const answers = { q1: { action: "decline" }, q2: { action: "maybe" } };
  expect(() => questions.answer("a", answers)).toThrow('inputResponses "q2" is no answer to elicitation/create');
  expect(requester.respond).not.toHaveBeenCalled();
  expect(questions.answer("a", { q1: { action: "decline" }, q2: null })).toBe(true);
  expect(requester.respond.mock.calls).toEqual([["1", { action: "decline" }]]);
  expect(questions.answer("b", answers)).toBe(false);
});

it.each([{ toString: 1 }, [], null, 7])("ignores a related task whose id is %j", (taskId) => {
  const { requester, listenFor, ask } = create();
  listenFor("a");
  expect(ask(taskId as never, "q")).toBe(false);
  expect(requester.refuse).not.toHaveBeenCalled();
});
