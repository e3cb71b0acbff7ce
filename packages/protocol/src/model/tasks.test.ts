// Guards and parsers of tasks.
import fc from "fast-check";
import { expect, it } from "vitest";
import { isMcpError, missingClientCapability } from "../jsonrpc/error.ts";
import { metaKey } from "../meta/keys.ts";
import {
  declaresTasks,
  isDetailedTask,
  isTask,
  isTerminal,
  parseTaskParams,
  parseUpdateTaskParams,
  requireTasks,
  taskStatuses,
  tasksExtension,
} from "./tasks.ts";

const task = {
  taskId: "t",
  status: "working",
  createdAt: "2026-08-01T00:00:00Z",
  lastUpdatedAt: "2026-08-01T00:00:00Z",
  ttlMs: 1000,
};

it("declaresTasks accepts the extension only, not the tasks capability of 2025-11-25 (F-29)", () => {
  expect(declaresTasks({ extensions: { [tasksExtension]: {} } })).toBe(true);
  expect(declaresTasks({})).toBe(false);
  expect(declaresTasks({ tasks: {} } as never)).toBe(false);
  expect(declaresTasks({ extensions: { [tasksExtension]: true as never } })).toBe(false);
  expect(declaresTasks({ extensions: null as never })).toBe(false);
});

it("requireTasks rejects a request that does not declare the tasks extension itself (F-13)", () => {
  const extensions = { [tasksExtension]: {} };
  const requestOf = (capabilities: object) => ({
    id: 1,
    method: "tasks/get",
    params: {
      _meta: { [metaKey.protocolVersion]: "2026-07-28", [metaKey.clientCapabilities]: capabilities },
    },
  });
  expect(() => requireTasks(requestOf({ extensions }))).not.toThrow();
  expect(() => requireTasks(requestOf({}))).toThrow(missingClientCapability({ extensions }));
});

it("only completed, failed and cancelled are final task statuses (F-11)", () => {
  expect(taskStatuses.filter(isTerminal)).toEqual(["completed", "failed", "cancelled"]);
});

it("a task has an id, a known status and a time to live (F-4)", () => {
  expect(isTask(task)).toBe(true);
  expect(isTask({ ...task, ttlMs: null })).toBe(true);
  for (const wrong of [{ taskId: 1 }, { status: "done" }, { ttlMs: "1" }])
    expect(isTask({ ...task, ...wrong })).toBe(false);
});

it.each([
  ["input_required", "inputRequests", { k: { method: "roots/list" } }],
  ["completed", "result", { content: [] }],
  ["failed", "error", { code: -32603, message: "no" }],
])("a task with status %s requires the member %s (F-10)", (status, member, value) => {
  expect(isDetailedTask({ ...task, status, [member]: value })).toBe(true);
  expect(isDetailedTask({ ...task, status })).toBe(false);
  expect(isDetailedTask({ ...task, status, [member]: "text" })).toBe(false);
});

it("parsers of task params reject params without a task id with -32602", () => {
  expect(parseTaskParams({ taskId: "t", more: 1 })).toEqual({ taskId: "t" });
  expect(parseUpdateTaskParams({ taskId: "t", inputResponses: {} })).toEqual({ taskId: "t", inputResponses: {} });
  expect(() => parseTaskParams({})).toThrow('"taskId" must be a string');
  expect(() => parseUpdateTaskParams({ taskId: "t" })).toThrow('"inputResponses" must be an object');
});

it("task guards accept any value, and task parsers throw only McpError", () => {
  fc.assert(
    fc.property(fc.anything(), fc.dictionary(fc.string(), fc.anything()), (value, params) => {
      isDetailedTask(value);
      for (const parse of [parseTaskParams, parseUpdateTaskParams]) {
        try {
          parse(params);
        } catch (error) {
          expect(isMcpError(error)).toBe(true);
        }
      }
    }),
  );
});
