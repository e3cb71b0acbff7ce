// One direct connection between two replicas: carries numbered messages in order, and knows which of them the other one has handled.

import type { Duplex } from "node:stream";
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import { DirectClosedError, NotSentError } from "@lethe/server/forwarding";
import { type Clock, every } from "@lethe/server/stores";
import { encodeFrames, type Frame, FrameReader, type SentFrame } from "./frames.ts";
import { Unacknowledged } from "./unacknowledged.ts";

export interface LinkOptions {
  readonly socket: Duplex;
  readonly clock: Clock;
  /** Size of a message as JSON, in bytes. */
  readonly maxBytes: number;
  /** The connection ends when the other side acknowledges nothing for this time, in ms. */
  readonly silenceMs: number;
  /** The number of the last message that was sent to the other side through Redis. */
  readonly after: number;
  /** Whether Redis can carry messages instead. If not, a slow connection is better than none. */
  isReplaceable(): boolean;
  /** Calls back when a message of the other side that it sent through Redis was handled. Undefined: that is so already. */
  whenReceived(number: number, callback: () => void): (() => void) | undefined;
  onMessage(number: number, message: JsonObject): void;
  onClosed(reason: string): void;
}

/** How many messages of this size may be unacknowledged. */
const maxUnacknowledged = 4;
/** Messages up to this size pass also when many are unacknowledged, in bytes: they end calls, or return what a caller has read. */
const alwaysBytes = 256;
/** An acknowledgement waits this long for a message that takes it along, in ms. */
const acknowledgeMs = 20;
/** How long messages wait for those that were sent through Redis before, in ms. These may have been lost. */
const holdMs = 1_000;
/** An orderly end takes this long, in ms. */
const endMs = 1_000;
/** A process that stood still itself counts that as one look. */
const silentLooks = 4;
/** A message whose acknowledgement takes longer is late, in ms. */
const lateMs = 1_000;
/** The size of a message, and of those before it, gives it more time: as if the network carried this many bytes per second. */
const minBytesPerSecond = 256 * 1_024;
/** The connection ends when a message is late at this many looks, and none was acknowledged in time between them. */
const maxLateLooks = 8;

export class Link {
  readonly #options: LinkOptions;
  readonly #reader: FrameReader;
  readonly #unacknowledged = new Unacknowledged();
  readonly #stopLooking: () => void;
  #queue: SentFrame[] = [];
  #isScheduled = false;
  #cancelAcknowledgement: (() => void) | undefined;
  /** The highest number that was handled here, and the one that was last acknowledged. */
  #handled = 0;
  #acknowledged = 0;
  #hasStarted = false;
  #cancelHold: (() => void) | undefined;
  #looks = 0;
  /** The number of this look, and at how many a message was late. */
  #now = 0;
  #lateLooks = 0;
  /** Frames of the other side since the last look. */
  #progress = 0;
  /** A part of a large message has arrived. The other side sees by an acknowledgement that its bytes pass. */
  #hasPart = false;
  #reason = "the other replica closed it";
  #isEnding = false;
  #isClosed = false;

  constructor(options: LinkOptions) {
    this.#options = options;
    const { socket, clock, maxBytes, silenceMs, after } = options;
    this.#reader = new FrameReader(maxBytes);
    this.#stopLooking = every(clock, silenceMs / silentLooks, () => this.#look());
    socket.on("error", (error: NodeJS.ErrnoException) => this.end(error.code ?? error.message));
    socket.on("end", () => this.end(this.#reason));
    socket.on("close", () => this.#onClose());
    socket.on("data", (piece: Buffer) => {
      this.#reader.add(piece);
      this.#read();
      this.#hasPart = this.#reader.hasPart;
      if (this.#hasPart) this.#acknowledgeSoon();
    });
    this.#enqueue({ number: 0, text: JSON.stringify({ after }) });
  }

  /** False from the moment when this side knows that the connection ends. */
  get isOpen(): boolean {
    return !this.#isEnding;
  }

  /** Whether the other side is too slow to take another message. */
  get isFull(): boolean {
    return this.#unacknowledged.bytes > maxUnacknowledged * this.#options.maxBytes;
  }

  /**
   * Resolves when the other side has handled the message. Rejects with NotSentError when it has not, with DirectClosedError when that is not
   * known, and with RangeError for a message that is too large.
   */
  send(number: number, text: string): Promise<number> {
    const { maxBytes } = this.#options;
    const bytes = Buffer.byteLength(text);
    if (bytes > maxBytes) return Promise.reject(new RangeError(`at most ${maxBytes} bytes expected, got ${bytes}`));
    if (this.#isEnding) return Promise.reject(new NotSentError(this.#reason));
    if (this.isFull && bytes > alwaysBytes) return Promise.reject(new Error("the other replica is too slow"));
    return new Promise((resolve, reject) => {
      this.#unacknowledged.add({ number, bytes, lateAt: this.#lateAt(bytes), resolve, reject });
      this.#enqueue({ number, text });
    });
  }

  /** Ends the connection at once. */
  end(reason: string): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#reason = reason;
    this.#options.socket.destroy();
  }

  /** Sends what is queued, and resolves when the connection has ended. */
  close(): Promise<void> {
    const { socket, clock } = this.#options;
    if (this.#isEnding) return Promise.resolve();
    this.#isEnding = true;
    this.#reason = "this replica stops";
    this.#flush();
    return new Promise((resolve) => {
      const cancel = clock.after(endMs, () => socket.destroy());
      socket.once("close", () => {
        cancel();
        resolve();
      });
      socket.end();
    });
  }

  #onClose(): void {
    this.#isClosed = true;
    this.#isEnding = true;
    this.#stopLooking();
    this.#cancelAcknowledgement?.();
    this.#cancelHold?.();
    const unsent = new Set(this.#queue.map(({ number }) => number));
    this.#queue = [];
    this.#unacknowledged.rejectAll((number) =>
      unsent.has(number) ? new NotSentError(this.#reason) : new DirectClosedError(this.#reason),
    );
    this.#options.onClosed(this.#reason);
  }

  /** Messages of one turn of the event loop are written together. */
  #enqueue(frame: SentFrame): void {
    this.#queue.push(frame);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#isScheduled = false;
    this.#cancelAcknowledgement?.();
    this.#cancelAcknowledgement = undefined;
    if (this.#isClosed || this.#options.socket.writableEnded || this.#options.socket.destroyed) return;
    const handled = this.#handled;
    if (this.#queue.length === 0 && handled === this.#acknowledged && !this.#hasPart) return;
    const frames = this.#queue.length > 0 ? this.#queue : [{ number: 0, text: "" }];
    this.#queue = [];
    this.#acknowledged = handled;
    this.#options.socket.write(encodeFrames(frames, handled));
  }

  #read(): void {
    try {
      while (!this.#cancelHold && !this.#isClosed) {
        const frame = this.#reader.next();
        if (!frame) break;
        this.#receive(frame);
      }
    } catch (error) {
      this.end(`it sent what is no message: ${(error as Error).message}`);
    }
  }

  #receive({ number, handled, text }: Frame): void {
    const { oldest } = this.#unacknowledged;
    if (oldest && oldest.number <= handled && this.#now <= oldest.lateAt) this.#lateLooks = 0;
    this.#unacknowledged.resolveUpTo(handled);
    this.#progress += 1;
    if (!this.#hasStarted) this.#start(text);
    else if (number > 0) this.#handle(number, text);
  }

  #handle(number: number, text: string): void {
    const message: unknown = JSON.parse(text);
    if (!isJsonObject(message)) throw new TypeError("a JSON object expected");
    this.#handled = number;
    this.#acknowledgeSoon();
    this.#options.onMessage(number, message);
  }

  #acknowledgeSoon(): void {
    this.#cancelAcknowledgement ??= this.#options.clock.after(acknowledgeMs, () => this.#flush());
  }

  /** The messages of the other side that are still on their way through Redis come first. Its socket is not read meanwhile. */
  #start(text: string): void {
    const { after } = JSON.parse(text) as { after?: unknown };
    if (typeof after !== "number") throw new TypeError("a number expected as `after`");
    this.#hasStarted = true;
    const { socket, clock, silenceMs, whenReceived } = this.#options;
    const cancelReceived = whenReceived(after, () => this.#proceed());
    if (!cancelReceived) return;
    socket.pause();
    const cancelTimer = clock.after(Math.min(holdMs, silenceMs / 2), () => this.#proceed());
    this.#cancelHold = () => {
      cancelReceived();
      cancelTimer();
    };
  }

  #proceed(): void {
    this.#cancelHold?.();
    this.#cancelHold = undefined;
    if (this.#isClosed) return;
    this.#options.socket.resume();
    this.#read();
  }

  /** On a slow network, the other side acknowledges parts of a message. */
  #look(): void {
    const { silenceMs, isReplaceable } = this.#options;
    const { oldest } = this.#unacknowledged;
    this.#looks = oldest && this.#progress === 0 ? this.#looks + 1 : 0;
    this.#progress = 0;
    this.#now += 1;
    if (oldest && this.#now > oldest.lateAt && isReplaceable()) this.#lateLooks += 1;
    if (this.#looks > silentLooks) this.end(`it acknowledged nothing for ${silenceMs} ms`);
    if (this.#lateLooks >= maxLateLooks) this.end(`it acknowledges messages more than ${lateMs} ms late`);
  }

  /** The last look at which a message of this size, sent now, is not late. Counted in looks, so that a process that stood still is not misled. */
  #lateAt(bytes: number): number {
    const transferMs = ((this.#unacknowledged.bytes + bytes) / minBytesPerSecond) * 1_000;
    return this.#now + Math.ceil(((lateMs + transferMs) * silentLooks) / this.#options.silenceMs);
  }
}
