import { type JsonObject, type Tool, withTaskSupport } from "@lethe/protocol";
import { expect, it, vi } from "vitest";
import { TransportError } from "../call/transport-error.ts";
import { createToolFacts } from "./tool-facts.ts";

const tool = (name: string, more: JsonObject = {}): Tool =>
  ({ name, inputSchema: { type: "object" }, ...more }) as Tool;
const taskTool = (name: string): Tool => withTaskSupport(tool(name), "required");

it("all pages are read, once for all who want to know at the same time", async () => {
  const list = vi.fn(async (cursor?: string) =>
    cursor === undefined ? { tools: [tool("a")], nextCursor: "" } : { tools: [taskTool("b")] },
  );
  const facts = createToolFacts(list);
  expect(await Promise.all([facts.taskSupportOf("b"), facts.taskSupportOf("a"), facts.taskSupportOf("c")])).toEqual([
    "required",
    undefined,
    undefined,
  ]);
  expect(list.mock.calls).toEqual([[undefined], [""]]);
  await facts.taskSupportOf("c");
  expect(list).toHaveBeenCalledTimes(2);
});

it("a page that passed by saves the question", async () => {
  const list = vi.fn(async () => ({}));
  const facts = createToolFacts(list);
  facts.learn({ tools: [taskTool("a"), "odd"] });
  facts.learn({ tools: "odd" });
  expect(await facts.taskSupportOf("a")).toBe("required");
  expect(list).not.toHaveBeenCalled();
});

it("a list that could not be read is read again at the next question", async () => {
  const list = vi.fn(async (): Promise<JsonObject> => {
    throw new Error("no");
  });
  const facts = createToolFacts(list);
  expect(await facts.taskSupportOf("a")).toBeUndefined();
  list.mockResolvedValueOnce({ tools: [taskTool("a")] });
  expect(await facts.taskSupportOf("a")).toBe("required");
});

it("a list that exceeds a limit is read again after a minute, or when the tools have changed", async () => {
  vi.useFakeTimers();
  try {
    const list = vi.fn(async (): Promise<JsonObject> => {
      throw new TransportError("too_large", "large");
    });
    const facts = createToolFacts(list);
    for (let call = 0; call < 3; call++) expect(await facts.taskSupportOf("a")).toBeUndefined();
    expect(list).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(60_000);
    await facts.taskSupportOf("a");
    expect(list).toHaveBeenCalledTimes(2);
    facts.forget();
    await facts.taskSupportOf("a");
    expect(list).toHaveBeenCalledTimes(3);
  } finally {
    vi.useRealTimers();
  }
});

it("a list without end is not read for ever", async () => {
  const list = vi.fn(async () => ({ tools: [], nextCursor: "again" }));
  expect(await createToolFacts(list).taskSupportOf("a")).toBeUndefined();
  expect(list).toHaveBeenCalledTimes(100);
});

it("a list that was on its way when the tools changed does not count as the last word", async () => {
  let answer: (page: JsonObject) => void = () => {};
  const list = vi.fn(() => new Promise<JsonObject>((resolve) => (answer = resolve)));
  const facts = createToolFacts(list);
  const first = facts.taskSupportOf("a");
  facts.forget();
  answer({ tools: [] });
  await first;
  void facts.taskSupportOf("a");
  expect(list).toHaveBeenCalledTimes(2);
});

it("only a tool that says so may be called twice (B-73)", () => {
  const facts = createToolFacts(async () => ({}));
  facts.learn({
    tools: [
      tool("reads", { annotations: { readOnlyHint: true } }),
      tool("sets", { annotations: { idempotentHint: true } }),
      tool("adds", { annotations: { idempotentHint: "yes" } }),
    ],
  });
  expect(["reads", "sets", "adds", "none"].map(facts.isRepeatable)).toEqual([true, true, false, false]);
  facts.learn({ tools: [tool("reads")] });
  expect(facts.isRepeatable("reads")).toBe(false);
});

it("of too many tools the rest is not remembered", () => {
  const facts = createToolFacts(async () => ({}));
  const readOnly = { annotations: { readOnlyHint: true } };
  facts.learn({ tools: Array.from({ length: 10_001 }, (_, index) => tool(`t${index}`, readOnly)) });
  expect([facts.isRepeatable("t9999"), facts.isRepeatable("t10000")]).toEqual([true, false]);
  facts.learn({ tools: [tool("t0")] });
  expect(facts.isRepeatable("t0")).toBe(false);
});
