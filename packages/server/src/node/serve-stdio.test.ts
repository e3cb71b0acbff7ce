// serveStdio: input, output and end of the streams of a process (C).
import { once } from "node:events";
import { PassThrough, Writable } from "node:stream";
import type { Dispatch, Result } from "@lethe/protocol";
import { expect, it, vi } from "vitest";
import { aborted, holdDispatch } from "../testing/held-dispatch.ts";
import { callOf } from "../testing/messages.ts";
import { serveStdio } from "./serve-stdio.ts";

const complete: Result = { resultType: "complete", content: [] };
const dispatch: Dispatch = async () => complete;
const line = (id: number): string => `${JSON.stringify(callOf("add", id))}\n`;
const answer = (id: number): string => `${JSON.stringify({ jsonrpc: "2.0", id, result: complete })}\n`;

it("serveStdio answers line by line, including a last line without a line break, and resolves at the end of input (C-1, C-8)", async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = serveStdio({ dispatch }, { input, output });
  const bytes = Buffer.from(`${line(1)}\r\n\n${line(2)}${line(3).trim()}`);
  input.write(bytes.subarray(0, 25));
  input.end(bytes.subarray(25));
  await served;
  expect(String(output.read())).toBe(answer(1) + answer(2) + answer(3));
  expect(input.listenerCount("data") + input.listenerCount("end") + output.listenerCount("close")).toBe(0);
});

it("a line over the limit is rejected, and the next one is served (C-1)", async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = serveStdio({ dispatch }, { input, output, maxLineBytes: 300 });
  input.end(`${"x".repeat(301)}\n${line(1)}`);
  await served;
  const lines = String(output.read()).trim().split("\n");
  expect(lines.map((text) => JSON.parse(text))).toMatchObject([
    { error: { code: -32600 } },
    { id: 1, result: complete },
  ]);
});

it("a request that runs at the end of input may finish within the grace period", async () => {
  const held = holdDispatch();
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = serveStdio(held, { input, output });
  input.end(line(1));
  await held.exchange;
  held.finish();
  await served;
  expect(String(output.read())).toBe(answer(1));
});

it("a request that runs longer than the grace period is aborted and not answered (C-8)", async () => {
  const held = holdDispatch();
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = serveStdio(held, { input, output, graceMs: 10 });
  input.end(line(1));
  const { signal } = await held.exchange;
  await served;
  await aborted(signal);
  held.finish();
  expect(output.read()).toBeNull();
});

it("a broken output is the end and not an error, and aborts running requests (C-16)", async () => {
  const held = holdDispatch();
  const input = new PassThrough();
  const output = new Writable({
    write: (_chunk, _encoding, taken) => taken(Object.assign(new Error("write EPIPE"), { code: "EPIPE" })),
  });
  const served = serveStdio(
    { dispatch: (request, exchange) => (request.id === 1 ? held : { dispatch }).dispatch(request, exchange) },
    { input, output },
  );
  input.write(line(1) + line(2));
  const { signal } = await held.exchange;
  await served;
  expect([signal.aborted, input.isPaused()]).toEqual([true, true]);
});

it("aborting the signal has the effect of the end of input", async () => {
  const controller = new AbortController();
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = serveStdio({ dispatch }, { input, output, signal: controller.signal });
  input.write(line(1));
  await once(output, "readable");
  controller.abort();
  await served;
  expect(input.isPaused()).toBe(true);
  await serveStdio({ dispatch }, { input, output, signal: controller.signal });
});

it("the input pauses while the client does not read the output", async () => {
  const input = new PassThrough();
  let taken: (() => void) | undefined;
  const output = new Writable({
    highWaterMark: 1,
    write: (_chunk, _encoding, next) => {
      taken = next;
    },
  });
  const seen = vi.fn(dispatch);
  const served = serveStdio({ dispatch: seen }, { input, output });
  input.write(line(1));
  await once(input, "pause");
  input.write(line(2));
  await new Promise((resolve) => setImmediate(resolve));
  expect(seen).toHaveBeenCalledTimes(1);
  taken?.();
  await once(input, "resume");
  await vi.waitUntil(() => seen.mock.calls.length === 2, { interval: 1 });
  taken?.();
  output.destroy();
  await served;
});

it("a client that reads again after the end does not start the input again", async () => {
  const controller = new AbortController();
  const input = new PassThrough();
  let taken: (() => void) | undefined;
  const output = new Writable({
    highWaterMark: 1,
    write: (_chunk, _encoding, next) => {
      taken = next;
    },
  });
  const served = serveStdio({ dispatch }, { input, output, signal: controller.signal, graceMs: 10 });
  input.write(line(1));
  await once(input, "pause");
  controller.abort();
  await served;
  taken?.();
  await new Promise((resolve) => setImmediate(resolve));
  expect(input.isPaused()).toBe(true);
});

it("other writes to the output go to stderr while serveStdio runs (C-16)", async () => {
  const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const guarded: Dispatch = async () => {
      output.write("a stray print\n");
      return complete;
    };
    const served = serveStdio({ dispatch: guarded }, { input, output, guardsOutput: true });
    input.end(line(1));
    await served;
    expect(stderr).toHaveBeenCalledExactlyOnceWith("a stray print\n");
    output.write("free again\n");
    expect(String(output.read())).toBe(`${answer(1)}free again\n`);
  } finally {
    stderr.mockRestore();
  }
});
