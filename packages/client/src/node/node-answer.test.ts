import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { MemoryBudget } from "@lethe/protocol";
import { expect, it, vi } from "vitest";
import { heldBytes } from "../../../protocol/src/testing/held-bytes.ts";
import { LoopShare } from "../call/loop-share.ts";
import { NodeAnswer } from "./node-answer.ts";

/** A request that was not sent yet, and a connection that counts what its answer does with it. */
function createRequest(signal?: AbortSignal) {
  const controller = {
    aborted: false,
    paused: false,
    reason: null,
    pause() {
      controller.paused = true;
    },
    resume() {
      controller.paused = false;
    },
    abort: vi.fn((reason: Error) => answer.onResponseError(controller, reason)),
  };
  const owner = { withdraw: vi.fn(), ended: vi.fn() };
  const answer = new NodeAnswer(signal, owner);
  const receive = (part: Buffer) => answer.onResponseData(controller, part);
  return { answer, controller, owner, receive };
}

/** The same after the head of the answer has arrived. */
function createAnswer(signal?: AbortSignal) {
  const request = createRequest(signal);
  request.answer.onRequestStart(request.controller);
  request.answer.onResponseStart(request.controller, 200, {});
  return request;
}

it("the text of a body is decoded correctly if its chunks split characters", async () => {
  const { answer, receive } = createAnswer();
  const text = answer.text(100);
  for (const byte of Buffer.from("a\u00e9\u{1f600}")) receive(Buffer.of(byte));
  answer.onResponseEnd();
  expect(await text).toBe("a\u00e9\u{1f600}");
});

it("a body that arrives before its reader is kept until it is read", async () => {
  const { answer, receive, owner } = createAnswer();
  receive(Buffer.from("ab"));
  receive(Buffer.from("cd"));
  answer.onResponseEnd();
  expect(owner.ended).toHaveBeenCalledWith(answer, true);
  expect(await answer.text(100)).toBe("abcd");
});

it("the socket pauses while nothing reads the body, and resumes with its reader", async () => {
  const { answer, controller, receive } = createAnswer();
  receive(Buffer.alloc(16_383, "a"));
  expect(controller.paused).toBe(false);
  receive(Buffer.from("a"));
  expect(controller.paused).toBe(true);
  const text = answer.text(20_000);
  expect(controller.paused).toBe(false);
  answer.onResponseEnd();
  expect(await text).toHaveLength(16_384);
});

it("the socket pauses for a slow reader even if the previous socket ended before the request was sent", () => {
  const { answer, controller, receive } = createRequest();
  answer.finish();
  answer.onRequestStart(controller);
  answer.onResponseStart(controller, 200, {});
  answer.chunks();
  receive(Buffer.alloc(16_384, "a"));
  expect(controller.paused).toBe(true);
});

it("a body in chunks of one byte occupies at most three times its size", async () => {
  const length = 2_100_000;
  const bytes = await heldBytes(() => {
    const { answer, receive } = createAnswer();
    void answer.text(64 * 1024 * 1024);
    for (let sent = 0; sent < length; sent++) receive(Buffer.from("a"));
    return answer;
  });
  expect(bytes).toBeLessThan(3 * length);
});

it("a body counts until it is read, and reading stops if it exceeds the memory budget", async () => {
  const memory = new MemoryBudget(30_000);
  const read = createAnswer();
  const text = read.answer.text(1_000_000, memory);
  read.receive(Buffer.alloc(10_000, "a"));
  expect(memory.heldByKind.answers).toBe(20_000);
  read.answer.onResponseEnd();
  expect([(await text).length, memory.heldBytes]).toEqual([10_000, 0]);
  const large = createAnswer();
  const refused = large.answer.text(1_000_000, memory);
  for (let sent = 0; sent < 3; sent++) large.receive(Buffer.alloc(8_000, "a"));
  await expect(refused).rejects.toMatchObject({ reason: "too_large" });
  expect(memory.heldBytes).toBe(0);
  expect(large.controller.abort).toHaveBeenCalledOnce();
});

it.each([
  ["one large chunk", 1, "a".repeat(16_384)],
  ["many small chunks", 256, "a"],
])("stops reading the socket after %s until a slow reader takes all of it at once", async (_, count, chunk) => {
  const { answer, controller, receive } = createAnswer();
  const chunks = answer.chunks();
  for (let sent = 1; sent < count; sent++) receive(Buffer.from(chunk));
  expect(controller.paused).toBe(false);
  receive(Buffer.from(chunk));
  expect(controller.paused).toBe(true);
  expect(await chunks.next()).toEqual({ done: false, value: chunk.repeat(count) });
  expect(controller.paused).toBe(false);
  answer.onResponseEnd();
  expect(await chunks.next()).toEqual({ done: true, value: undefined });
});

it("chunks that arrived before the connection broke are read before the error", async () => {
  const { answer, controller, receive } = createAnswer();
  receive(Buffer.from("a"));
  answer.onResponseError(controller, Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" }));
  const chunks = answer.chunks();
  expect(await chunks.next()).toEqual({ done: false, value: "a" });
  await expect(chunks.next()).rejects.toMatchObject({ code: "ECONNRESET", message: "socket hang up" });
});

it("a body that is complete but unread is lost when its signal is aborted, and frees the signal", async () => {
  const canceller = new AbortController();
  const { answer, receive } = createAnswer(canceller.signal);
  const remove = vi.spyOn(canceller.signal, "removeEventListener");
  receive(Buffer.from("a"));
  answer.onResponseEnd();
  expect(remove).not.toHaveBeenCalled();
  canceller.abort(new Error("cancelled"));
  expect(remove).toHaveBeenCalled();
  await expect(answer.text(100)).rejects.toThrow("cancelled");
});

it("a request that undici would send a second time fails instead", async () => {
  const owner = { withdraw: vi.fn(), ended: vi.fn() };
  const answer = new NodeAnswer(undefined, owner);
  const controller = { aborted: false, paused: false, reason: null, pause() {}, resume() {}, abort: vi.fn() };
  answer.onRequestStart(controller);
  expect(controller.abort).not.toHaveBeenCalled();
  answer.onRequestStart(controller);
  expect(controller.abort).toHaveBeenCalledOnce();
});

it("informational responses are skipped, and of a repeated content-type the first counts", async () => {
  const answer = new NodeAnswer(undefined, { withdraw: vi.fn(), ended: vi.fn() });
  answer.onResponseStart(undefined, 103, { link: "</a>" });
  answer.onResponseStart(undefined, 200, { "content-type": ["text/plain", "text/html"], vary: ["a", "b"] });
  const head = await answer.head;
  expect([head.status, head.headers("content-type"), head.headers("vary")]).toEqual([200, "text/plain", "a, b"]);
});

it("parsing a body counts against the share of its server until the body ends", () => {
  const clock = vi.spyOn(performance, "now");
  const socket = new EventEmitter();
  const { answer } = createAnswer();
  const parse = vi.fn();
  socket.on("readable", parse);
  answer.connection = { client: {} as never, tunnel: undefined, socket: socket as Socket, answer };
  let time = 1_000;
  clock.mockImplementation(() => time);
  parse.mockImplementation(() => {
    time += 30;
  });
  const share = new LoopShare();
  answer.chunks(share);
  socket.emit("readable");
  expect(share.restMs).toBe(30);
  answer.onResponseEnd();
  socket.emit("readable");
  expect(share.restMs).toBe(0);
  expect(socket.listeners("readable")).toEqual([parse]);
  clock.mockRestore();
});
