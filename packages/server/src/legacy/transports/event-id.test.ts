// Event ids: parsing returns what was formatted.
import fc from "fast-check";
import { expect, it } from "vitest";
import { parseEventId, toEventId } from "./event-id.ts";

const streamId = fc.stringMatching(/^[A-Za-z0-9_-]{1,32}$/);
const requestId = fc.oneof(
  fc.integer(),
  fc.string({ maxLength: 20 }),
  fc.constantFrom("", 0, "\ud800", "a.b/c d", "é"),
);

it("an event id is a valid header value, and parses to its position", () => {
  fc.assert(
    fc.property(streamId, fc.nat(), requestId, (stream, seq, request) => {
      const id = toEventId({ streamId: stream, seq, requestId: request });
      expect(id).toMatch(/^[!-~]+$/);
      expect(parseEventId(id)).toEqual({ streamId: stream, seq, requestId: request });
      expect(parseEventId(toEventId({ streamId: stream, seq }))).toEqual({ streamId: stream, seq });
    }),
  );
});

it("an event id omits a request id that is too long for a header", () => {
  const id = toEventId({ streamId: "s", seq: 1, requestId: "x".repeat(200) });
  expect([id, parseEventId(id)]).toEqual(["s.1", { streamId: "s", seq: 1 }]);
});

it("other text is not an event id", () => {
  for (const text of ["", "s", "s.", "s.x", ".1", "s.1.%", "s t.1", `${"s".repeat(33)}.1`]) {
    const place = parseEventId(text);
    expect([text, place?.requestId]).toEqual([text, undefined]);
    if (text !== "s.1.%") expect(place).toBeUndefined();
  }
  fc.assert(fc.property(fc.string(), (text) => void parseEventId(text)));
});
