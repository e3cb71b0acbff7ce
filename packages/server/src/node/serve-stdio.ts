// Serves the process that started this one (C): requests on stdin, answers on stdout, everything else on stderr.
import type { Readable, Writable } from "node:stream";
import { createLineDecoder } from "@lethe/protocol";
import type { Servable } from "../http/servable.ts";
import type { Sink } from "../stdio/line-writer.ts";
import { createStdioEdge, type StdioEdge, type StdioOptions } from "../stdio/stdio-edge.ts";
import { createDrain } from "./drain.ts";
import { guardOutput } from "./guard-output.ts";

export interface ServeStdioOptions extends StdioOptions {
  /** Default process.stdin. */
  input?: Readable;
  /** Default process.stdout. */
  output?: Writable;
  /** How long requests may go on after the end of input. Default 10,000 ms. */
  graceMs?: number;
  /** Longer lines are refused. Default 16 MiB. */
  maxLineBytes?: number;
  /**
   * Whatever else the program writes to `output` goes to stderr: one stray console.log would break the protocol (C-16).
   * Default: true for process.stdout.
   */
  guardsOutput?: boolean;
  /** Aborting it is like the end of input. */
  signal?: AbortSignal | undefined;
}

type Write = (text: string, onTaken?: () => void) => boolean;

/** Resolves when the client has closed its end or ours, and what was running is done or cut off. */
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

/** Resolves at the end of input. Takes no more of it afterwards, so that the process can exit. */
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

/** While the client does not read, nothing more is read from it: its requests wait in its own pipe. */
function createSink({ input, output, write }: Streams): Sink {
  return {
    write(text) {
      const isFlowing = write(text);
      if (!isFlowing && !input.isPaused()) {
        input.pause();
        // Not when it has ended in the meantime: nobody listens to it any more.
        output.once("drain", () => input.listenerCount("data") > 0 && input.resume());
      }
      return isFlowing;
    },
    heldBytes: () => output.writableLength,
    drained: createDrain(output),
    schedule: (flush) => process.nextTick(flush),
  };
}

/** EPIPE and its kin: the client has gone, which is the end and not an error (C-16), also if it shows only afterwards. */
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
