// The filter of the live list.
import { expect, it } from "vitest";
import type { Exchange } from "../admin/admin-api.ts";
import { select } from "./live-filter.ts";

const exchange = (id: string, more: Partial<Exchange> = {}): Exchange => ({
  ...{ id, replica: "r1", time: `2026-01-01T00:00:0${id}.000Z`, endpoint: "/mcp", method: "tools/call", ms: 1 },
  ...{ outcome: "complete", hasSteps: false },
  ...more,
});
const exchanges = [
  exchange("1", { name: "fs__read", upstream: "fs", caller: "ann" }),
  exchange("2", { name: "gh__read", upstream: "gh", outcome: "tool_error" }),
  exchange("3", { method: "tools/list", outcome: "error" }),
];
const ids = (filter: Parameters<typeof select>[1]) => select(exchanges, filter).map(({ id }) => id);

it("shows the newest requests first", () => {
  expect(ids({})).toEqual(["3", "2", "1"]);
});

it.each([
  [{ q: "READ ann" }, ["1"]],
  [{ upstream: "gh" }, ["2"]],
  [{ outcome: "failed" }, ["3", "2"]],
  [{ outcome: "tool_error" }, ["2"]],
])("shows with the filter %j only what matches", (filter, expected) => {
  expect(ids(filter)).toEqual(expected);
});
