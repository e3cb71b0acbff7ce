import { expect, it } from "vitest";
import { sseKeepAlive, toSseEvent } from "./sse-encode.ts";

it("one JSON text is one data line (B-19)", () => {
  expect(toSseEvent('{"a":"b\\nc"}')).toBe('data: {"a":"b\\nc"}\n\n');
});

it("each line of the data has its own data line (B-71)", () => {
  expect(toSseEvent("a\nb\r\nc\rd")).toBe("data: a\ndata: b\ndata: c\ndata: d\n\n");
});

it("toSseEvent writes the fields before the data (D-35)", () => {
  expect(toSseEvent("", { event: "endpoint", id: "s:1", retryMs: 1499.6 })).toBe(
    "event: endpoint\nid: s:1\nretry: 1500\ndata: \n\n",
  );
});

it("toSseEvent rejects an event name or id with a line break, which would forge fields", () => {
  expect(() => toSseEvent("{}", { id: "1\ndata: x" })).toThrow("the id of an event must be one line");
  expect(() => toSseEvent("{}", { event: "a\rb" })).toThrow("the event of an event must be one line");
  expect(() => toSseEvent("{}", { id: "a\0" })).toThrow("without NUL");
});

it("a keep-alive is a comment (B-18)", () => {
  expect(sseKeepAlive).toMatch(/^:[^\n]*\n\n$/);
});
