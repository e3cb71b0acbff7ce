// Tests of the HTTP/1.1 parser: splitting the input does not change the messages, and every byte is passed on.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHttpParser, HttpFormatError } from "./http-parser.ts";

interface Read {
  line: string;
  headers: readonly (readonly [string, string])[];
  body: string;
  isEnded: boolean;
}

function read(
  pieces: readonly Buffer[],
  verbOf?: () => string | undefined,
): { messages: Read[]; raw: Buffer; isComplete: boolean } {
  const messages: Read[] = [];
  const raw: Uint8Array[] = [];
  const parser = createHttpParser({
    ...(verbOf && { verbOf }),
    onHead({ line, headers }, bytes) {
      messages.push({ line, headers, body: "", isEnded: false });
      raw.push(Buffer.from(bytes));
    },
    onBody(content, bytes) {
      const message = messages.at(-1);
      if (message) message.body += Buffer.from(content).toString("latin1");
      raw.push(Buffer.from(bytes));
    },
    onEnd() {
      const message = messages.at(-1);
      if (message) message.isEnded = true;
    },
  });
  for (const piece of pieces) parser.push(piece);
  return { messages, raw: Buffer.concat(raw), isComplete: parser.end() };
}

function split(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
}

const body = fc.string({ unit: "binary", maxLength: 60 });
const chunked = (text: string, size: number): string => {
  const bytes = Buffer.from(text).toString("latin1");
  const chunks: string[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const chunk = bytes.slice(at, at + size);
    chunks.push(`${chunk.length.toString(16)};x=1\r\n${chunk}\r\n`);
  }
  return `${chunks.join("")}0\r\nTrailer: 1\r\n\r\n`;
};
const message = fc.record({
  body,
  size: fc.integer({ min: 1, max: 9 }),
  isChunked: fc.boolean(),
  isSpaced: fc.boolean(),
});

describe("createHttpParser with split input", () => {
  it("parses requests that are split anywhere like unsplit ones and passes every byte on", () => {
    fc.assert(
      fc.property(
        fc.array(message, { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(), { maxLength: 12 }),
        (all, cuts) => {
          const bytes = Buffer.from(
            all
              .map(({ body: text, size, isChunked, isSpaced }) => {
                const latin = Buffer.from(text).toString("latin1");
                const head = `${isSpaced ? "\r\n" : ""}POST /mcp?a=1 HTTP/1.1\r\nX-Case:  Kept \r\n`;
                if (isChunked) return `${head}Transfer-Encoding: chunked\r\n\r\n${chunked(text, size)}`;
                return `${head}Content-Length: ${latin.length}\r\n\r\n${latin}`;
              })
              .join(""),
            "latin1",
          );
          const { messages, raw, isComplete } = read(split(bytes, cuts));
          expect(raw.equals(bytes)).toBe(true);
          expect(isComplete).toBe(true);
          expect(messages.map((one) => Buffer.from(one.body, "latin1").toString())).toEqual(
            all.map((one) => Buffer.from(one.body).toString()),
          );
          expect(
            messages.every(
              ({ line, headers, isEnded }) => isEnded && line.startsWith("POST") && headers[0]?.[1] === "Kept",
            ),
          ).toBe(true);
        },
      ),
    );
  });

  it("parses a head that arrives in single bytes in linear time", () => {
    const maxHeadBytes = 4 * 1024 * 1024;
    const head = Buffer.from(`GET / HTTP/1.1\r\nx: ${"x".repeat(maxHeadBytes - 100)}\r\n\r\n`);
    let heads = 0;
    const nothing = (): void => {};
    const parser = createHttpParser({ maxHeadBytes, onHead: () => heads++, onBody: nothing, onEnd: nothing });
    // Copying all of it for each byte would move 8 TB.
    for (let at = 0; at < head.length; at++) parser.push(head.subarray(at, at + 1));
    expect(heads).toBe(1);
  });

  it("throws only HttpFormatError for arbitrary bytes, and the error holds the bytes not passed on", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (given) => {
        const raw: Uint8Array[] = [];
        const keep = (_: unknown, bytes: Uint8Array): void => void raw.push(Buffer.from(bytes));
        const parser = createHttpParser({ onHead: keep, onBody: keep, onEnd() {}, maxHeadBytes: 40 });
        try {
          parser.push(given);
        } catch (error) {
          if (!(error instanceof HttpFormatError)) throw error;
          expect(Buffer.concat([...raw, error.rest]).equals(Buffer.from(given))).toBe(true);
        }
      }),
    );
  });
});

describe("createHttpParser without a body length", () => {
  it("ends the body of a response without a length at the end of the connection", () => {
    const { messages, isComplete } = read([Buffer.from("HTTP/1.1 200 OK\r\n\r\nabc")], () => "GET");
    expect(messages).toMatchObject([{ body: "abc", isEnded: true }]);
    expect(isComplete).toBe(true);
  });

  it.each([
    ["HEAD", "200 OK\r\nContent-Length: 9"],
    ["GET", "204 No Content"],
    ["GET", "304 Not Modified\r\nContent-Length: 9"],
  ])("reads no body in a response to %s with %s", (verb, rest) => {
    const bytes = Buffer.from(`HTTP/1.1 ${rest}\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx`);
    expect(read([bytes], () => verb).messages[0]).toMatchObject({ body: "", isEnded: true });
  });

  it("does not take 100 Continue for the final response", () => {
    const bytes = Buffer.from("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
    const { messages } = read([bytes], () => "POST");
    expect(messages.map(({ isEnded }) => isEnded)).toEqual([false, true]);
  });

  it("passes all bytes after 101 Switching Protocols unchanged", () => {
    const bytes = Buffer.from("HTTP/1.1 101 Switching Protocols\r\n\r\n\u0000\u0001 no HTTP\r\n\r\n");
    const { messages, raw } = read([bytes], () => "GET");
    expect(messages).toMatchObject([{ body: "\u0000\u0001 no HTTP\r\n\r\n" }]);
    expect(raw.equals(bytes)).toBe(true);
  });

  it("reports a truncated body as incomplete", () => {
    expect(read([Buffer.from("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nabc")]).isComplete).toBe(false);
  });
});

it.each([
  ["HTTP/2.0", "GET / HTTP/2.0\r\n\r\n"],
  ["a negative length", "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"],
  ["a field without a colon", "POST / HTTP/1.1\r\nno colon\r\n\r\n"],
  ["a field without a name", "POST / HTTP/1.1\r\n: no name\r\n\r\n"],
  ["an endless head", `POST / HTTP/1.1\r\nX: ${"x".repeat(300_000)}`],
  ["a chunk without a size", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n"],
  ["a chunk that is longer than its size", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n"],
  ["an endless chunk extension", `POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;${"x".repeat(20_000)}`],
])("createHttpParser rejects %s", (_, text) => {
  expect(() => read([Buffer.from(text)])).toThrow(HttpFormatError);
});
