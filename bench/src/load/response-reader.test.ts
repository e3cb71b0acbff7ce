import fc from "fast-check";
import { expect, test } from "vitest";
import { createResponseReader } from "./response-reader.ts";

const sized = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}';
const empty = "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n";
const chunked = "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1;x=y\r\n!\r\n0\r\n\r\n";

function readAll(pieces: readonly Buffer[]): { status: number; body: string }[] {
  const responses: { status: number; body: string }[] = [];
  let text = "";
  const read = createResponseReader({
    body: (piece) => {
      text += piece.toString();
    },
    end: (status) => {
      responses.push({ status, body: text });
      text = "";
    },
  });
  for (const piece of pieces) read(piece);
  return responses;
}

test("the response reader returns the same responses for any chunks of the socket", () => {
  const whole = Buffer.from(sized + chunked + empty + sized);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: whole.length })), (cuts) => {
      const ends = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
      const pieces = ends.slice(1).map((end, index) => whole.subarray(ends[index], end));
      expect(readAll(pieces)).toEqual([
        { status: 200, body: '{"a":1}' },
        { status: 404, body: "hello!" },
        { status: 202, body: "" },
        { status: 200, body: '{"a":1}' },
      ]);
    }),
  );
});

test("the response reader passes on the body of an open stream as it arrives", () => {
  const pieces: string[] = [];
  const read = createResponseReader({
    body: (piece) => pieces.push(piece.toString()),
    end: () => expect.unreachable(),
  });
  read(Buffer.from("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n"));
  read(Buffer.from("3\r\ntwo\r\n"));
  expect(pieces).toEqual(["one", "two"]);
});

test("the response reader rejects responses that are not HTTP/1.1 or have neither length nor chunks", () => {
  expect(() => readAll([Buffer.from("HTTP/2 200\r\n\r\n")])).toThrow("no HTTP/1.1 response");
  expect(() => readAll([Buffer.from("HTTP/1.1 200 OK\r\n\r\n")])).toThrow("neither length nor chunks");
});
