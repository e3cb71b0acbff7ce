import { describe, expect, it } from "vitest";
import { traceContextOf } from "./trace-context.ts";

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
const read = (meta: object) => traceContextOf(meta);

describe("traceContextOf", () => {
  it("traceContextOf returns the three members unchanged (H-1)", () => {
    const meta = { traceparent, tracestate: "a=1", baggage: "k=v" };
    expect(read({ ...meta, other: 1 })).toEqual(meta);
  });

  it.each([
    "",
    7,
    "00-0-0-0",
    traceparent.toUpperCase(),
    `ff${traceparent.slice(2)}`,
    "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
    "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
  ])("a traceparent of %j counts as absent, and so does its tracestate (H-2)", (broken) => {
    expect(read({ traceparent: broken, tracestate: "a=1", baggage: 1 })).toEqual({});
  });
});
