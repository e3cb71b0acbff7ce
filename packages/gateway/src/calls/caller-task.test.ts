import { type DetailedTask, errorCode, metaKey } from "@lethe/protocol";
import { expect, it } from "vitest";
import { gatewayInfo } from "../upstreams/connection/own-request.ts";
import { toCallerTask } from "./caller-task.ts";
import { sessionArgument, sessionMetaKey } from "./session-argument.ts";
import type { TaskLocation } from "./task-ids.ts";

const place: TaskLocation = { upstream: "up", id: "inner", tool: "work" };
const view = { taskId: "public", place, declared: {} };
const base = {
  taskId: "inner",
  createdAt: "2026-08-01T00:00:00Z",
  lastUpdatedAt: "2026-08-01T00:00:01Z",
  ttlMs: 1_000,
};
const shown = { ...base, taskId: "public" };

it("gives a task its public id and drops members that the extension does not define (F-4, J-55)", () => {
  const more = { requestState: "inner state", _meta: { [metaKey.serverInfo]: { name: "up", version: "1" } }, extra: 1 };
  const task = { ...base, ...more, status: "working", statusMessage: "half", pollIntervalMs: 5 } as DetailedTask;
  expect(toCallerTask(task, view)).toEqual({ ...shown, status: "working", statusMessage: "half", pollIntervalMs: 5 });
});

it("forwards input requests of a task under the keys of the upstream (F-14)", () => {
  const inputRequests = { q1: { method: "roots/list" as const } };
  const task: DetailedTask = { ...base, status: "input_required", inputRequests };
  const asked = { q1: { method: "roots/list", params: {} } };
  expect(toCallerTask(task, view)).toEqual({ ...shown, status: "input_required", inputRequests: asked });
});

it("returns a task result in the gateway's name, without state of the upstream", () => {
  const result = {
    content: [],
    requestState: "s",
    _meta: { "x/y": 1, [metaKey.serverInfo]: { name: "up", version: "1" } },
  };
  expect(toCallerTask({ ...base, status: "completed", result }, view)).toEqual({
    ...shown,
    status: "completed",
    result: { resultType: "complete", content: [], _meta: { "x/y": 1, [metaKey.serverInfo]: gatewayInfo } },
  });
});

it("adds the handle of its session to a task result, so that the model can continue", () => {
  const task: DetailedTask = { ...base, status: "completed", result: { content: [], structuredContent: { n: 1 } } };
  expect(toCallerTask(task, { ...view, place: { ...place, handle: "h" } })).toMatchObject({
    result: { structuredContent: { n: 1, [sessionArgument]: "h" }, _meta: { [sessionMetaKey]: "h" } },
  });
});

it("forwards a task error unless it concerns what the gateway made of the request (D-52)", () => {
  const failed = (error: { code: number; message: string; data?: unknown }) =>
    toCallerTask({ ...base, status: "failed", error }, view);
  const own = { code: -32000, message: "no paper", data: { tray: 1 } };
  expect(failed(own)).toMatchObject({ status: "failed", error: own });
  const ours = { code: errorCode.headerMismatch, message: "Mcp-Param-X" };
  expect(failed(ours)).toMatchObject({ error: { code: -32603, data: { reason: "invalid", upstream: "up" } } });
});

it("presents a task without a time to live as kept forever", () => {
  const { ttlMs: _, ...endless } = base;
  expect(toCallerTask({ ...endless, status: "cancelled" } as DetailedTask, view)).toEqual({
    ...shown,
    ttlMs: null,
    status: "cancelled",
  });
});
