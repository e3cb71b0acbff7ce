// Serves the parent process over stdio (C): requests on stdin, responses on stdout, everything else on stderr.

import type { Readable, Writable } from "node:stream";
import { checkOptions, createLineDecoder, type KnownOptions } from "@lethe/protocol";
import { requireOneServable, type Servable } from "../http/servable.ts";
import type { Sink } from "../stdio/line-writer.ts";
import { createStdioEdge, knownStdioOptions, type StdioEdge, type StdioOptions } from "../stdio/stdio-edge.ts";
import { createDrain } from "./drain.ts";
import { guardOutput } from "./guard-output.ts";

/** Options of `serveStdio`. Every option has a default. */
export interface ServeStdioOptions extends StdioOptions {
  /** Where requests come from. Default: process.stdin. */
  input?: Readable;
  /** Where responses go. Default: process.stdout. */
  output?: Writable;
  /** How long running requests may continue after the end of input. Default 10,000 ms. */
  graceMs?: number;
  /** Bytes of one line. Longer lines are rejected. Default 16 MiB. */
  maxLineBytes?: number;
  /**
   * Redirects everything else that the program writes to `output` to stderr, because a stray console.log would break the protocol.
   * Default: true for process.stdout.
   */
  guardsOutput?: boolean;
  /** Aborting it has the effect of the end of input. */
  signal?: AbortSignal | undefined;
}

const knownServeStdioOptions: KnownOptions<ServeStdioOptions> = {
  ...knownStdioOptions,
  input: true,
  output: true,
  graceMs: true,
  maxLineBytes: true,
  guardsOutput: true,
  signal: true,
};

type Write = (text: string, onTaken?: () => void) => boolean;

/**
 * Serves one client over standard input and output, or over two other streams. Resolves after the input ends or the output closes,
 * when all running requests have finished, at most `graceMs` (10,000 ms by default) later. Requests still running then are
 * cancelled. Does not reject when the client disappears.
 *
 * @example
 * import { PassThrough } from "node:stream";
 * import { createServer } from "@lethe/server";
 * import { serveStdio } from "@lethe/server/node";
 *
 * const server = createServer({ name: "hello", version: "1.0.0" });
 *
 * // A program calls `await serveStdio(server)`. Here, two streams take the place of the standard ones.
 * const input = new PassThrough();
 * const output = new PassThrough();
 * const finished = serveStdio(server, { input, output, graceMs: 1_000 });
 * input.end(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "no/such" })}\n`);
 * await finished;
 * const response = JSON.parse(String(output.read()));
 * console.log(response.id, typeof response.error.code); // 1 number
 */
export async function serveStdio(servable: Servable, options: ServeStdioOptions = {}): Promise<void> {
  checkOptions("serveStdio", options, knownServeStdioOptions);
  requireOneServable("serveStdio", servable);
  const { input = process.stdin, output = process.stdout, graceMs = 10_000 } = options;
  const guard = (options.guardsOutput ?? output === process.stdout) ? guardOutput(output) : undefined;
  const write: Write = guard?.write ?? ((text, onTaken) => output.write(text, onTaken));
  const broken = brokenPipe(output);
  const edge = createStdioEdge(servable, createSink({ input, output, write }), options);
  try {
    await Promise.race([readLines(input, edge, options), broken.happened]);
    const finished = edge.finish().then(() => new Promise<void>((resolve) => write("", resolve)));
    await withDeadline(Promise.race([finished, broken.happened]), graceMs);
  } finally {
    edge.cutOff();
    guard?.restore();
    broken.forget();
  }
}

/** Resolves at the end of input. Stops reading then, so that the process can exit. */
function readLines(input: Readable, edge: StdioEdge, options: ServeStdioOptions): Promise<void> {
  const { maxLineBytes, signal } = options;
  const decoder = createLineDecoder({
    ...(maxLineBytes !== undefined && { maxLineBytes }),
    onLine: edge.receiveLine,
    onTooLong: (bytes) => edge.refuse(`a line of ${bytes} bytes is too long`),
  });
  return new Promise((resolve) => {
    const onEnd = (): void => {
      decoder.end();
      stop();
    };
    const stop = (): void => {
      input.off("data", decoder.push).off("end", onEnd).off("close", stop).off("error", stop).pause();
      signal?.removeEventListener("abort", stop);
      resolve();
    };
    input.on("data", decoder.push).on("end", onEnd).on("close", stop).on("error", stop);
    signal?.addEventListener("abort", stop);
    if (signal?.aborted) stop();
  });
}

interface Streams {
  input: Readable;
  output: Writable;
  write: Write;
}

/** Pauses the input while the client does not read the output. */
function createSink({ input, output, write }: Streams): Sink {
  return {
    write(text) {
      const isFlowing = write(text);
      if (!isFlowing && !input.isPaused()) {
        input.pause();
        // Not if the input has ended in the meantime: it has no listener any more.
        output.once("drain", () => input.listenerCount("data") > 0 && input.resume());
      }
      return isFlowing;
    },
    heldBytes: () => output.writableLength,
    drained: createDrain(output),
    schedule: (flush) => process.nextTick(flush),
  };
}

/** After EPIPE and similar errors the client has left, which is the end and not an error, even if it shows only later. */
function brokenPipe(output: Writable): { happened: Promise<void>; forget(): void } {
  let forget = (): void => {};
  const happened = new Promise<void>((resolve) => {
    const onBroken = (): void => resolve();
    output.on("error", onBroken).on("close", onBroken);
    forget = () => output.off("close", onBroken);
  });
  return { happened, forget };
}

async function withDeadline(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, deadline]);
  clearTimeout(timer);
}
