// The operator's log: one line per request, and nothing in it that a request should keep to itself.
import { invalidParams, type Result } from "@lethe/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RecordingExchange, requestOf } from "../testing/recording-exchange.ts";
import { type AccessLine, accessLog } from "./access-log.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function linesOf(
  request: ReturnType<typeof requestOf>,
  answer: () => Promise<Result>,
  caller?: string,
): Promise<AccessLine[]> {
  const lines: AccessLine[] = [];
  const dispatch = accessLog({ write: (line) => lines.push(line) })(answer);
  await dispatch(request, new RecordingExchange(caller === undefined ? undefined : { id: caller })).catch(() => {});
  return lines;
}

const call = requestOf("tools/call", { name: "pay", arguments: { card: "4111" } });

test("logs one line per request with the caller, method, target, duration and outcome, and no arguments", async () => {
  const answer = async () => {
    vi.advanceTimersByTime(12);
    return { resultType: "complete", content: [] };
  };
  expect(await linesOf(call, answer, "alice")).toEqual([
    {
      time: "1970-01-01T00:00:00.000Z",
      method: "tools/call",
      name: "pay",
      caller: "alice",
      ms: 12,
      outcome: "complete",
    },
  ]);
});

test.each([
  ["input_required", async () => ({ resultType: "input_required" })],
  ["tool_error", async () => ({ resultType: "complete", isError: true })],
])("logs the outcome %s", async (outcome, answer) => {
  expect(await linesOf(call, answer)).toMatchObject([{ outcome }]);
});

test("logs the code of an error, and -32603 for an unknown error", async () => {
  expect(await linesOf(call, () => Promise.reject(invalidParams("secret")))).toMatchObject([
    { outcome: "error", code: -32602 },
  ]);
  expect(await linesOf(call, () => Promise.reject(new Error("secret")))).toMatchObject([
    { outcome: "error", code: -32603 },
  ]);
});

test("logs the URI of a resource and no task id, and bounds the length of a name", async () => {
  const answer = async () => ({ resultType: "complete" });
  const [read] = await linesOf(requestOf("resources/read", { uri: `test://${"a".repeat(9999)}` }), answer);
  expect(read?.name).toHaveLength(259);
  const [task] = await linesOf(requestOf("tasks/get", { taskId: "t" }), answer);
  expect(task).not.toHaveProperty("name");
  const [junk] = await linesOf(requestOf("x".repeat(9999), { name: 5 }), answer);
  expect(junk?.method).toHaveLength(259);
});

test("a log that cannot be written fails no request", async () => {
  const reported = vi.spyOn(console, "error").mockImplementation(() => {});
  const result = { resultType: "complete" };
  const dispatch = accessLog({
    write: () => {
      throw new Error("disk full");
    },
  })(async () => result);
  expect(await dispatch(call, new RecordingExchange())).toBe(result);
  expect(reported).toHaveBeenCalledOnce();
});
