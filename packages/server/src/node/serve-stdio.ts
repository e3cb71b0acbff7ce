// Serves the parent process over stdio (C): requests on stdin, responses on stdout, everything else on stderr.
import type { Readable, Writable } from "node:stream";
import { createLineDecoder } from "@lethe/protocol";
import type { Servable } from "../http/servable.ts";
import type { Sink } from "../stdio/line-writer.ts";
import { createStdioEdge, type StdioEdge, type StdioOptions } from "../stdio/stdio-edge.ts";
import { createDrain } from "./drain.ts";
import { guardOutput } from "./guard-output.ts";

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

type Write = (text: string, onTaken?: () => void) => boolean;

/** Serves until the input ends or the output closes. Resolves when all running requests have finished, at most `graceMs` later. */
export async function serveStdio(servable: Servable, options: ServeStdioOptions = {}): Promise<void> {
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
    onLine: edge.receive,
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
