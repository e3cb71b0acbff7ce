import { expect, test } from "vitest";
import { addTraceHeaders } from "./trace-headers.ts";

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

function headersOf(meta: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  addTraceHeaders(headers, { _meta: meta });
  return headers;
}

test("the trace context of `_meta` becomes HTTP headers", () => {
  const trace = { traceparent, tracestate: "a=1", baggage: "user=1" };
  expect(headersOf({ ...trace, other: "x" })).toEqual(trace);
});

test("a request without trace context gets no headers", () => {
  expect(headersOf({})).toEqual({});
  expect(headersOf(undefined)).toEqual({});
});

test.each([
  ["a malformed traceparent", { traceparent: "00-1-2-3", tracestate: "a=1" }],
  ["a value that is no text", { baggage: 1 }],
  ["a value with a line break", { baggage: "a=1\r\nX-Evil: 1" }],
  ["a value that is not ASCII", { baggage: "a=é" }],
  ["a value that is too long", { baggage: "a".repeat(8_193) }],
])("%s is left out", (_, meta) => {
  expect(headersOf(meta)).toEqual({});
});
