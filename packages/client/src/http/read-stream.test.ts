import { MemoryBudget } from "@lethe/protocol";
import { expect, test, vi } from "vitest";
import { Deadline } from "../call/deadline.ts";
import { createExchange } from "../call/exchange.ts";
import { LoopShare } from "../call/loop-share.ts";
import type { HttpAnswer } from "./http-send.ts";
import { readStream } from "./read-stream.ts";

const plainExchange = createExchange({});

const expected = { server: "s", method: "tools/call", id: 1 };
const endless = { timeoutMs: Number.POSITIVE_INFINITY, maxTotalMs: Number.POSITIVE_INFINITY };
const response = '{"jsonrpc":"2.0","id":1,"result":{}}';

function start(chunks: string[], memory = new MemoryBudget(1_000_000), exchange = plainExchange) {
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
  const share = new LoopShare();
  const context = { expected, exchange, deadline, maxEventBytes: 1_000_000, memory, share };
  const reading = readStream(answer, context);
  return { reading, touch, discard, end };
}

test("every chunk counts as activity, even a comment (E-36, B-71)", async () => {
  const { reading, touch } = start([": alive\n", "\n", "data:", `${response}\r\n\r\n`]);
  await reading;
  expect(touch).toHaveBeenCalledTimes(4);
});

test("a chunk full of notifications is processed in several turns of the event loop", async () => {
  let time = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => time);
  const perTurn = [0];
  const rest = vi.spyOn(LoopShare.prototype, "rest").mockImplementation(async () => {
    time += 100;
    perTurn.push(0);
  });
  const exchange = createExchange({
    onNotification() {
      time += 2;
      perTurn.push((perTurn.pop() ?? 0) + 1);
    },
  });
  const note = 'data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n';
  await start([`${note.repeat(7)}data: ${response}\n\n`], undefined, exchange).reading;
  expect(perTurn).toEqual([3, 3, 1]);
  rest.mockRestore();
  clock.mockRestore();
});

test("after the response the rest of the stream is discarded, and the socket stays open", async () => {
  const { reading, discard, end } = start([`data: ${response}\n\ndata: more\n\n`]);
  expect(await reading).toEqual(JSON.parse(response));
  expect(discard).toHaveBeenCalledOnce();
  expect(end).not.toHaveBeenCalled();
});

test("a failed stream is closed", async () => {
  const { reading, discard, end } = start(["data: {]\n\n"]);
  await expect(reading).rejects.toMatchObject({ reason: "invalid" });
  expect(end).toHaveBeenCalledOnce();
  expect(discard).not.toHaveBeenCalled();
});

test("data on several lines, other line ends and a byte order mark are parsed (B-71)", async () => {
  const { reading } = start(["\ufeffid: 1\r", 'data: {"jsonrpc":"2.0",\rdata: "id":1,"result":{}}\r\r']);
  expect(await reading).toEqual(JSON.parse(response));
});

test("an event that exceeds the memory budget ends the stream", async () => {
  const memory = new MemoryBudget(30_000);
  const { reading, end } = start(["data: ", ...Array<string>(10).fill("x".repeat(3_000))], memory);
  await expect(reading).rejects.toMatchObject({ reason: "too_large", message: expect.stringContaining("30000 bytes") });
  expect([end.mock.calls.length > 0, memory.heldBytes, memory.droppedCount]).toEqual([true, 0, 1]);
});

test("an unfinished event is counted until the stream ends", async () => {
  const memory = new MemoryBudget(40_000);
  const { reading } = start([`data: ${"x".repeat(10_000)}`], memory);
  await expect(reading).rejects.toMatchObject({ reason: "lost" });
  expect(memory.heldBytes).toBe(0);
});
