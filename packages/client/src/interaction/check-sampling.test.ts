import { expect, test, vi } from "vitest";
import { checkSampling } from "./check-sampling.ts";

const text = { type: "text", text: "x" };
const use = { role: "assistant", content: [{ type: "tool_use", id: "1", name: "t", input: {} }] };
const answered = { role: "user", content: [{ type: "tool_result", toolUseId: "1", content: [] }] };
const ask = (...messages: unknown[]) => ({ maxTokens: 5, messages });

test.each([
  [ask({ role: "user", content: text })],
  [ask({ role: "user", content: [text, text] })],
  [ask({ role: "user", content: text }, use, answered)],
  [ask()],
])("accepts the sampling params %j (E-97)", (params) => {
  expect(checkSampling(params)).toBeUndefined();
});

test.each([
  [undefined, /messages/],
  [{ messages: [] }, /maxTokens/],
  [ask({ role: "user" }), /without content/],
  [ask(use, { role: "user", content: text }), /without its result/],
  [ask(use, { role: "user", content: [...answered.content, text] }), /mixed/],
])("rejects the sampling params %j: %s (E-97)", (params, problem) => {
  expect(checkSampling(params)).toMatch(problem);
});

test("does not search the results of a message for each of many tool uses", () => {
  const ids = Array.from({ length: 100 }, (_, index) => `${index}`);
  const uses = { role: "assistant", content: ids.map((id) => ({ type: "tool_use", id, name: "t", input: {} })) };
  const results = { role: "user", content: ids.map((toolUseId) => ({ type: "tool_result", toolUseId, content: [] })) };
  const search = vi.spyOn(Array.prototype, "includes");
  const problem = checkSampling(ask(uses, results));
  const { length } = search.mock.calls;
  search.mockRestore();
  expect([problem, length]).toEqual([undefined, 0]);
});
