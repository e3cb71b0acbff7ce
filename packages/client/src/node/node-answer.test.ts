import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { MemoryBudget } from "@lethe/protocol";
import { expect, it, vi } from "vitest";
import { heldBytes } from "../../../protocol/src/testing/held-bytes.ts";
import { LoopShare } from "../call/loop-share.ts";
import { NodeAnswer } from "./node-answer.ts";

function createAnswer() {
  const message = Object.assign(new EventEmitter(), { destroy() {} });
  return { message, answer: new NodeAnswer(message as unknown as IncomingMessage, undefined) };
}

it("the text of a body is decoded correctly if its chunks split characters", async () => {
  const { message, answer } = createAnswer();
  const text = answer.text(100);
  for (const byte of Buffer.from("a\u00e9\u{1f600}")) message.emit("data", Buffer.of(byte));
  message.emit("end");
  expect(await text).toBe("a\u00e9\u{1f600}");
});

it("a body in chunks of one byte occupies at most three times its size", async () => {
  const length = 2_100_000;
  const bytes = await heldBytes(() => {
    const { message, answer } = createAnswer();
    void answer.text(64 * 1024 * 1024);
    for (let sent = 0; sent < length; sent++) message.emit("data", Buffer.from("a"));
    return message;
  });
  expect(bytes).toBeLessThan(3 * length);
});

it("a body counts until it is read, and reading stops if it exceeds the memory budget", async () => {
  const memory = new MemoryBudget(30_000);
  const read = createAnswer();
  const text = read.answer.text(1_000_000, memory);
  read.message.emit("data", Buffer.alloc(10_000, "a"));
  expect(memory.heldByKind.answers).toBe(20_000);
  read.message.emit("end");
  expect([(await text).length, memory.heldBytes]).toEqual([10_000, 0]);
  const large = createAnswer();
  const refused = large.answer.text(1_000_000, memory);
  for (let sent = 0; sent < 3; sent++) large.message.emit("data", Buffer.alloc(8_000, "a"));
  await expect(refused).rejects.toMatchObject({ reason: "too_large" });
  expect(memory.heldBytes).toBe(0);
});

function createPausable() {
  let isPaused = false;
  const message = Object.assign(new EventEmitter(), {
    destroy() {},
    isPaused: () => isPaused,
    pause() {
      isPaused = true;
    },
    resume() {
      isPaused = false;
    },
  });
  return { message, chunks: new NodeAnswer(message as unknown as IncomingMessage, undefined).chunks() };
}

it.each([
  ["one large chunk", 1, "a".repeat(16_384)],
  ["many small chunks", 256, "a"],
])("stops reading the socket after %s until a slow reader takes all of it at once", async (_, count, chunk) => {
  const { message, chunks } = createPausable();
  for (let sent = 1; sent < count; sent++) message.emit("data", Buffer.from(chunk));
  expect(message.isPaused()).toBe(false);
  message.emit("data", Buffer.from(chunk));
  expect(message.isPaused()).toBe(true);
  expect(await chunks.next()).toEqual({ done: false, value: chunk.repeat(count) });
  expect(message.isPaused()).toBe(false);
  message.emit("end");
  expect(await chunks.next()).toEqual({ done: true, value: undefined });
});

it("parsing a body counts against the share of its server until the body ends", () => {
  const clock = vi.spyOn(performance, "now");
  const socket = new EventEmitter();
  const { message } = createAnswer();
  const parse = vi.fn();
  socket.on("data", parse);
  Object.assign(message, { socket, complete: false, destroyed: false });
  let time = 1_000;
  clock.mockImplementation(() => time);
  parse.mockImplementation(() => {
    time += 30;
  });
  const share = new LoopShare();
  new NodeAnswer(message as unknown as IncomingMessage, undefined).chunks(share);
  socket.emit("data", Buffer.from("a"));
  expect(share.restMs).toBe(30);
  message.emit("close");
  socket.emit("data", Buffer.from("a"));
  expect(share.restMs).toBe(0);
  expect(socket.listeners("data")).toEqual([parse]);
  clock.mockRestore();
});
