import { type JsonObject, type Tool, withTaskSupport } from "@lethe/protocol";
import { expect, it, vi } from "vitest";
import { TransportError } from "../call/transport-error.ts";
import { createToolFacts } from "./tool-facts.ts";

const tool = (name: string, more: JsonObject = {}): Tool =>
  ({ name, inputSchema: { type: "object" }, ...more }) as Tool;
const taskTool = (name: string): Tool => withTaskSupport(tool(name), "required");

it("reads all pages of the tool list once for concurrent readers", async () => {
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

it("uses a page that was listed for another request instead of reading the list", async () => {
  const list = vi.fn(async () => ({}));
  const facts = createToolFacts(list);
  facts.learn({ tools: [taskTool("a"), "odd"] });
  facts.learn({ tools: "odd" });
  expect(await facts.taskSupportOf("a")).toBe("required");
  expect(list).not.toHaveBeenCalled();
});

it("reads the list again at the next lookup after an error", async () => {
  const list = vi.fn(async (): Promise<JsonObject> => {
    throw new Error("no");
  });
  const facts = createToolFacts(list);
  expect(await facts.taskSupportOf("a")).toBeUndefined();
  list.mockResolvedValueOnce({ tools: [taskTool("a")] });
  expect(await facts.taskSupportOf("a")).toBe("required");
});

it("reads a list that exceeded a limit again after a minute, or when the tools have changed", async () => {
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

it("reads at most 100 pages of an endless list", async () => {
  const list = vi.fn(async () => ({ tools: [], nextCursor: "again" }));
  expect(await createToolFacts(list).taskSupportOf("a")).toBeUndefined();
  expect(list).toHaveBeenCalledTimes(100);
});

it("ignores a list that was requested before the tools changed", async () => {
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

it("reports only tools with idempotentHint or readOnlyHint as repeatable (B-73)", () => {
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

it("stores a limited number of tools", () => {
  const facts = createToolFacts(async () => ({}));
  const readOnly = { annotations: { readOnlyHint: true } };
  facts.learn({ tools: Array.from({ length: 10_001 }, (_, index) => tool(`t${index}`, readOnly)) });
  expect([facts.isRepeatable("t9999"), facts.isRepeatable("t10000")]).toEqual([true, false]);
  facts.learn({ tools: [tool("t0")] });
  expect(facts.isRepeatable("t0")).toBe(false);
});
