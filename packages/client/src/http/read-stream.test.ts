import { expect, test, vi } from "vitest";
import { Deadline } from "../call/deadline.ts";
import { createExchange } from "../call/exchange.ts";
import type { HttpAnswer } from "./http-send.ts";
import { readStream } from "./read-stream.ts";

const plainExchange = createExchange({});

const expected = { server: "s", method: "tools/call", id: 1 };
const endless = { timeoutMs: Number.POSITIVE_INFINITY, maxTotalMs: Number.POSITIVE_INFINITY };
const response = '{"jsonrpc":"2.0","id":1,"result":{}}';

function start(chunks: string[]) {
  const discard = vi.fn();
  const end = vi.fn();
  const iterator: AsyncIterator<string, undefined> = {
    async next() {
      const value = chunks.shift();
      return value === undefined ? { done: true, value } : { done: false, value };
    },
    async return() {
      end();
      return { done: true, value: undefined };
    },
  };
  const answer = { status: 200, chunks: () => iterator, discard } as unknown as HttpAnswer;
  const deadline = new Deadline("x", endless, undefined);
  const touch = vi.spyOn(deadline, "touch");
  const reading = readStream(answer, { expected, exchange: plainExchange, deadline, maxEventBytes: 1000 });
  return { reading, touch, discard, end };
}

test("every piece is a sign of life, a comment too (E-36, B-71)", async () => {
  const { reading, touch } = start([": alive\n", "\n", "data:", `${response}\r\n\r\n`]);
  await reading;
  expect(touch).toHaveBeenCalledTimes(4);
});

test("after the response the rest is given up, and the socket is not closed for it", async () => {
  const { reading, discard, end } = start([`data: ${response}\n\ndata: more\n\n`]);
  expect(await reading).toEqual(JSON.parse(response));
  expect(discard).toHaveBeenCalledOnce();
  expect(end).not.toHaveBeenCalled();
});

test("a stream that goes wrong is closed", async () => {
  const { reading, discard, end } = start(["data: {]\n\n"]);
  await expect(reading).rejects.toMatchObject({ reason: "invalid" });
  expect(end).toHaveBeenCalledOnce();
  expect(discard).not.toHaveBeenCalled();
});

test("data on several lines, other line ends and a byte order mark are read (B-71)", async () => {
  const { reading } = start(["\ufeffid: 1\r", 'data: {"jsonrpc":"2.0",\rdata: "id":1,"result":{}}\r\r']);
  expect(await reading).toEqual(JSON.parse(response));
});
