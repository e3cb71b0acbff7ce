// One end of the pipe between a parent and a worker: sends and receives frames, and bounds what waits to be sent.
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
  /** The frames of this turn of the event loop. */
  #gathered: Buffer[] = [];
  #gatheredSize = 0;

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
    return this.#isClosed || this.#unsentBytes > maxRefusableBytes;
  }

  /** Does nothing after the pipe was closed. */
  send(frame: { kind: number; peer?: number; id?: number; body?: Buffer }): void {
    if (this.#isClosed) return;
    const { kind, peer = 0, id = 0, body = noBody } = frame;
    // The frames of all requests that one turn of the event loop reads cost one write, and one read at the other side.
    if (this.#gathered.length === 0) setImmediate(() => this.flush());
    const bytes = encodeFrame({ kind, peer, id, body });
    this.#gathered.push(bytes);
    this.#gatheredSize += bytes.length;
    if (this.#unsentBytes > maxUnsentBytes) this.close(`it has not read ${maxUnsentBytes} bytes`);
  }

  get #unsentBytes(): number {
    return this.#stream.writableLength + this.#gatheredSize;
  }

  /** Writes what waits for the end of this turn of the event loop, for a process that ends before. */
  flush(): void {
    const frames = this.#gathered;
    this.#gathered = [];
    this.#gatheredSize = 0;
    if (!this.#isClosed && frames.length > 0)
      this.#stream.write(frames.length === 1 ? frames[0] : Buffer.concat(frames));
  }

  /** Lets the process end although the pipe is open. */
  unref(): void {
    (this.#stream as Partial<Pick<Socket, "unref">>).unref?.();
  }

  close(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#gathered = [];
    this.#stream.destroy();
    this.#options.onClose(reason);
  }
}
