// Messages to and from a server process, one per line (C-1). Lines that are no messages are skipped, so that a stray print
// of the server costs only that line.

import {
  checkOptions,
  createLineDecoder,
  type JsonRpcMessage,
  type KnownOptions,
  type LineDecoder,
  type MemoryBudget,
  type MemoryHolding,
  processMemory,
  type RequestId,
  smallBytes,
  toLine,
} from "@lethe/protocol";
import { handOver } from "../call/hand-over.ts";
import { LoopShare } from "../call/loop-share.ts";
import type { MessageWire } from "../call/message-wire.ts";
import { answeredIdOf, readMessages, refusalOf } from "../call/read-messages.ts";
import { TransportError } from "../call/transport-error.ts";
import { BatchedInput } from "./batched-input.ts";
import { withLastWords } from "./last-words.ts";
import { readFairly } from "./read-fairly.ts";
import type { ProcessExit, ServerProcess } from "./spawn.ts";

/** The limits of a wire to a process. */
export interface StdioOptions {
  /** Receives stdout lines that are no messages, at most their first 1 000 characters. */
  onJunk?(line: string): void;
  /** Longest line in bytes; a longer one is skipped. Default 16 MiB. */
  maxLineBytes?: number;
  /** Limit of output for a server that does not read, in UTF-16 code units. Default 64 Mi. */
  maxWaiting?: number;
  /** Counts unfinished lines. Above its hard limit the longest are dropped. Default: one budget per process. */
  memory?: MemoryBudget;
}

export const knownStdioOptions: KnownOptions<StdioOptions> = {
  onJunk: true,
  maxLineBytes: true,
  maxWaiting: true,
  memory: true,
};

/** A wire to a process. Created by `createStdioWire`. */
export interface StdioWire extends MessageWire {
  /** The number of skipped lines. */
  readonly junkLines: number;
}

const junkExcerpt = 1_000;
/** The start of every message; other lines are not parsed. */
const isObjectOrArray = /^[ \t\r]*[{[]/;

/**
 * Exchanges messages with a server process, one per line. Skips lines that are no messages, and lines of more than 16 MiB by default.
 * Closing the wire stops the process. `send` throws TransportError once the process has ended, or if it does not read its input.
 *
 * @example
 * import { createStdioWire, spawnServer } from "@lethe/client/node";
 *
 * const program = `
 *   import { createServer } from "@lethe/server";
 *   import { serveStdio } from "@lethe/server/node";
 *   await serveStdio(createServer({ name: "hello", version: "1.0.0" }));
 * `;
 * const target = { command: process.execPath, args: ["--input-type=module", "--eval", program] };
 *
 * const wire = createStdioWire(await spawnServer(target));
 * const response = new Promise((resolve) => {
 *   wire.onMessage = resolve;
 * });
 * await wire.send({ jsonrpc: "2.0", id: 1, method: "no/such" });
 * console.log(JSON.stringify(await response).startsWith('{"jsonrpc":"2.0","id":1,"error"')); // true
 * await wire.close();
 */
export function createStdioWire(server: ServerProcess, options: StdioOptions = {}): StdioWire {
  checkOptions("createStdioWire", options, knownStdioOptions);
  return new ProcessWire(server, options);
}

class ProcessWire implements StdioWire {
  readonly peer: string;
  readonly closed: Promise<TransportError>;
  onMessage: MessageWire["onMessage"] = () => {};
  onInvalid?: (id: RequestId | undefined, error: TransportError) => void;
  readonly #server: ServerProcess;
  readonly #options: StdioOptions;
  readonly #maxWaiting: number;
  readonly #memory: MemoryBudget;
  readonly #input: BatchedInput;
  readonly #decoder: LineDecoder;
  #junkLines = 0;
  /** The unfinished line, if it is not small. */
  #held: MemoryHolding | undefined;
  /** Kept until the first line arrives. */
  #firstSent: string | undefined;
  #hasRead = false;
  #isEcho = false;
  #isClosing = false;
  #ended: TransportError | undefined;

  constructor(server: ServerProcess, options: StdioOptions) {
    const { maxLineBytes, maxWaiting = 64 * 1024 * 1024, memory = processMemory } = options;
    this.peer = server.name;
    this.#server = server;
    this.#options = options;
    this.#maxWaiting = maxWaiting;
    this.#memory = memory;
    this.#input = new BatchedInput(server.stdin);
    this.#decoder = createLineDecoder({
      ...(maxLineBytes !== undefined && { maxLineBytes }),
      onLine: (text) => this.#read(text),
      onTooLong: (bytes) => this.#skip(bytes),
    });
    readFairly(server.stdout, new LoopShare(), (bytes) => this.#decode(bytes));
    server.stdout.once("end", () => this.#onOutputEnd());
    this.closed = server.exited.then((exit) => this.#end(exit));
  }

  get junkLines(): number {
    return this.#junkLines;
  }

  send(message: JsonRpcMessage): void | Promise<void> {
    if (this.#ended) throw this.#ended;
    if (this.#input.length > this.#maxWaiting) {
      throw new TransportError("too_large", `${this.peer} does not read its input`);
    }
    const line = toLine(message);
    if (!this.#hasRead) this.#firstSent ??= line.trimEnd();
    return this.#input.write(line);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#server.stop();
  }

  #decode(bytes: Uint8Array): void {
    this.#decoder.push(bytes);
    const { heldBytes } = this.#decoder;
    if (this.#held || heldBytes >= smallBytes) this.#countLine(heldBytes);
  }

  #countLine(bytes: number): void {
    if (bytes === 0 || this.#held?.isDropped) {
      this.#held?.release();
      this.#held = undefined;
    } else {
      this.#held ??= this.#memory.hold("answers", () => this.#decoder.dropLine());
      this.#held.set(bytes);
    }
  }

  #onOutputEnd(): void {
    this.#decoder.end();
    this.#held?.release();
    // No message can arrive any more, so a server that does not exit by itself is stopped (C-8).
    void this.#server.stop();
  }

  #read(text: string): void {
    if (!this.#hasRead) {
      this.#hasRead = true;
      this.#isEcho = text === this.#firstSent;
      this.#firstSent = undefined;
    }
    if (this.#isEcho) {
      // `cat` and the like: a response would only produce further echoes.
      void this.#server.stop();
      return;
    }
    // Avoids the cost of an exception: a server that logs to stdout writes thousands of such lines.
    if (!isObjectOrArray.test(text)) {
      this.#junk(text);
      return;
    }
    try {
      for (const message of readMessages(text, this.peer)) handOver(this, message);
    } catch (error) {
      this.#junk(text);
      this.#refuse(text, error as TransportError);
    }
  }

  /** Both sides learn at once that a message is invalid, so that neither waits for a response. */
  #refuse(text: string, error: TransportError): void {
    const id = answeredIdOf(text);
    if (id !== undefined) this.onInvalid?.(id, error);
    const refusal = refusalOf(text, error);
    // A server that reads nothing is sent nothing more.
    if (refusal && !this.#ended && this.#input.length <= this.#maxWaiting) void this.send(refusal);
  }

  #skip(bytes: number): void {
    this.#junk(`(a line of ${bytes} bytes)`);
    this.onInvalid?.(undefined, new TransportError("too_large", `${this.peer} wrote a line of ${bytes} bytes`));
  }

  #junk(line: string): void {
    this.#junkLines += 1;
    this.#options.onJunk?.(line.slice(0, junkExcerpt));
  }

  #end(exit: ProcessExit): TransportError {
    this.#held?.release();
    this.#ended = this.#isClosing
      ? new TransportError("closed", `the connection to ${this.peer} was closed`)
      : this.#isEcho
        ? new TransportError("invalid", `${this.peer} does not speak MCP: it echoes its input`)
        : new TransportError("lost", toObituary(this.peer, exit, this.#server.stderrTail()));
    return this.#ended;
  }
}

function toObituary(name: string, { code, signal }: ProcessExit, stderr: string): string {
  const end = signal === null ? `exited with code ${code}` : `was killed by ${signal}`;
  return withLastWords(`${name} ${end}`, stderr);
}
