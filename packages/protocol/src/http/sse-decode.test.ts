import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { heldBytes } from "../testing/held-bytes.ts";
import { createSseDecoder, type SseEvent } from "./sse-decode.ts";
import { sseKeepAlive, toSseEvent } from "./sse-encode.ts";

function decode(...pieces: string[]): SseEvent[] {
  const decoder = createSseDecoder();
  const events = pieces.flatMap((piece) => decoder.push(piece));
  decoder.end();
  return events;
}

function message(data: string): SseEvent {
  return { event: "message", data };
}

describe("createSseDecoder", () => {
  it.each(["\n", "\r", "\r\n"])("lines may end in %j (B-71)", (end) => {
    expect(decode(["data: a", "data: b", "", "data:c", "", ""].join(end))).toEqual([message("a\nb"), message("c")]);
  });

  it("a CRLF that is split between two pieces is one line end", () => {
    expect(decode("data: a\r", "\ndata: b\r", "\n\r", "\n")).toEqual([message("a\nb")]);
  });

  it("the SSE decoder ignores comments and unknown fields (B-71)", () => {
    expect(decode(`: hello\n${sseKeepAlive}data: a\nfoo: bar\nfoo\ndata\n\n`)).toEqual([message("a\n")]);
  });

  it("a byte order mark is skipped at the start only (B-71)", () => {
    expect(decode("\ufeffdata: a\n\n\ufeffdata: b\n\n")).toEqual([message("a")]);
  });

  it("one space after the colon belongs to the format, the next to the value", () => {
    expect(decode("data:  a\n\ndata:b:c\n\n")).toEqual([message(" a"), message("b:c")]);
  });

  it("the SSE decoder reports event, id and retry with the event that has them", () => {
    expect(decode("event: x\nid: 1\nretry: 250\ndata: a\n\ndata: b\n\n")).toEqual([
      { event: "x", data: "a", id: "1", retryMs: 250 },
      message("b"),
    ]);
  });

  it("an event with an id and no data is reported: it primes a resumable stream (D-35)", () => {
    expect(decode("id: 7\ndata:\n\nid: 8\n\nretry: 10\n\n")).toEqual([
      { event: "message", data: "", id: "7" },
      { event: "message", data: "", id: "8" },
      { event: "message", data: "", retryMs: 10 },
    ]);
  });

  it("an id with NUL and a retry that is not a number are ignored", () => {
    expect(decode("id: a\0\nretry: 1s\ndata: x\n\nevent: y\n\n")).toEqual([message("x")]);
  });

  it("the SSE decoder does not report an event that was cut off", () => {
    expect(decode("data: a\n")).toEqual([]);
  });

  it("the SSE decoder throws for an event above its limit, in one line or in many", () => {
    for (const piece of ["x", "data: x\n"]) {
      const decoder = createSseDecoder({ maxEventBytes: 100 });
      expect(() => {
        for (let count = 0; count < 1000; count++) decoder.push(piece);
      }).toThrow("larger than 100 bytes");
    }
  });

  it.each([
    ["empty data lines", "data:\n"],
    ["data lines of one character", "data:a\n"],
    ["one line in pieces of one character", "x"],
  ])("an unfinished event of %s occupies at most four times its size", async (_, piece) => {
    const count = 2_000_000;
    const decoder = createSseDecoder();
    const bytes = await heldBytes(() => {
      for (let sent = 0; sent < count; sent++) decoder.push(piece);
      return decoder;
    });
    expect(bytes).toBeLessThan(4 * count * (piece.includes("a\n") ? 2 : 1));
  });

  it("the line breaks between data lines count towards the bound", () => {
    const decoder = createSseDecoder({ maxEventBytes: 100 });
    expect(() => decoder.push("data:\n".repeat(102))).toThrow("a server-sent event is larger than 100 bytes");
  });

  it("an id that is too long for a header resets the last id", () => {
    expect(decode(`id: ${"1".repeat(10_000)}\ndata: a\n\n`)).toEqual([{ ...message("a"), id: "" }]);
  });

  it("the size limit applies to one event, not to the stream", () => {
    const decoder = createSseDecoder({ maxEventBytes: 100 });
    const event = `data: ${"x".repeat(90)}\n\n`;
    for (let count = 0; count < 100; count++) expect(decoder.push(event)).toHaveLength(1);
    const events = event.split("").flatMap((char) => decoder.push(char));
    expect(events).toEqual([message("x".repeat(90))]);
  });

  it("the SSE decoder returns the same events however the text is split", () => {
    const word = fc.constantFrom(
      "data",
      "event",
      "id",
      "retry",
      ":",
      " ",
      "\n",
      "\r",
      "\r\n",
      "\n\n",
      "1",
      "é",
      "\ufeff",
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), fc.array(fc.nat(120)), (words, cuts) => {
        const text = words.join("");
        const places = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length];
        const pieces = places.slice(1).map((place, index) => text.slice(places[index], place));
        expect(decode(...pieces)).toEqual(decode(text));
      }),
      { numRuns: 500 },
    );
  });

  it("the SSE decoder reads what the encoder writes, with line ends as LF", () => {
    const oneLine = fc.string({ unit: "binary" }).filter((text) => !/[\r\n\0]/.test(text));
    const text = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom("a", "\n", "\r", " ", ":")).map((all) => all.join("")),
    );
    fc.assert(
      fc.property(text, oneLine, oneLine, fc.nat(), (data, id, event, retryMs) => {
        expect(decode(sseKeepAlive + toSseEvent(data, { id, event, retryMs }))).toEqual([
          { event: event || "message", data: data.replace(/\r\n|\r/g, "\n"), id, retryMs },
        ]);
      }),
    );
  });
});
