// One end of the pipe between a parent and a worker, or between two workers: sends and receives frames, and bounds what waits to be sent.
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { encodeFrame, type Frame, FrameReader } from "./frames.ts";

export interface PipeOptions {
  onFrame(frame: Frame): void;
  /** Called once, when the other side is gone, the stream is broken, or the other side does not read. */
  onClose(reason: string): void;
}

/** Above this many unsent bytes, frames that may be refused are refused. */
const maxRefusableBytes = 16 * 1024 * 1024;
/** Above this many unsent bytes, the other side is taken as dead. */
const maxUnsentBytes = 128 * 1024 * 1024;
const noBody = Buffer.alloc(0);

export class Pipe {
  readonly #stream: Duplex;
  readonly #options: PipeOptions;
  #isClosed = false;
  #isGathering = false;

  constructor(stream: Duplex, options: PipeOptions) {
    this.#stream = stream;
    this.#options = options;
    const reader = new FrameReader();
    stream.on("data", (chunk: Buffer) => {
      try {
        if (!this.#isClosed) reader.push(chunk, options.onFrame);
      } catch (error) {
        this.close(String(error));
      }
    });
    stream.on("error", (error) => this.close(error.message));
    stream.on("close", () => this.close("the other process has ended"));
    stream.on("end", () => this.close("the other process has ended"));
  }

  /** Whether so much is unsent that frames which may be refused are. */
  get isFull(): boolean {
    return this.#isClosed || this.#stream.writableLength > maxRefusableBytes;
  }

  /** Does nothing after the pipe was closed. */
  send(frame: { kind: number; peer?: number; id?: number; body?: Buffer }): void {
    if (this.#isClosed) return;
    const { kind, peer = 0, id = 0, body = noBody } = frame;
    this.#writeTogether();
    this.#stream.write(encodeFrame({ kind, peer, id, body }));
    if (this.#stream.writableLength > maxUnsentBytes) this.close(`it has not read ${maxUnsentBytes} bytes`);
  }

  /** Frames of one turn of the event loop are written by one call to the system. */
  #writeTogether(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    this.#stream.cork();
    process.nextTick(() => {
      this.#isGathering = false;
      this.#stream.uncork();
    });
  }

  /** Lets the process end although the pipe is open. */
  unref(): void {
    (this.#stream as Partial<Pick<Socket, "unref">>).unref?.();
  }

  /** Closes the pipe after what was sent. */
  end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stream.end();
    this.#options.onClose("closed");
  }

  close(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stream.destroy();
    this.#options.onClose(reason);
  }
}
