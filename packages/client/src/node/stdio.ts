// Messages to and from a server process, one per line (C-1). What is no message is skipped: a stray print of the server
// costs that line and nothing else.
import {
  createLineDecoder,
  type JsonRpcMessage,
  type MemoryBudget,
  type MemoryHolding,
  processMemory,
  smallBytes,
  toLine,
} from "@lethe/protocol";
import { handOver } from "../call/hand-over.ts";
import { LoopShare } from "../call/loop-share.ts";
import type { MessageWire } from "../call/message-wire.ts";
import { answeredIdOf, readMessages, refusalOf } from "../call/read-messages.ts";
import { TransportError } from "../call/transport-error.ts";
import { withLastWords } from "./last-words.ts";
import { readFairly } from "./read-fairly.ts";
import type { ProcessExit, ServerProcess } from "./spawn.ts";

export interface StdioOptions {
  /** Hears what the server wrote to stdout that is no message (C-2), at most its first 1,000 characters. */
  onJunk?(line: string): void;
  /** A longer line is junk. Default 16 MiB. */
  maxLineBytes?: number;
  /** How much may wait for a server that does not read, in UTF-16 code units. Default 64 Mi. */
  maxWaiting?: number;
  /** Counts unfinished lines; above its hard mark the longest are dropped. Default: one for the whole process. */
  memory?: MemoryBudget;
}

export interface StdioWire extends MessageWire {
  /** How many lines were junk. */
  readonly junkLines: number;
}

const junkExcerpt = 1_000;
/** How each message begins; nothing else is parsed. */
const isObjectOrArray = /^[ \t\r]*[{[]/;
/**
 * So much is written at once, in UTF-16 code units. Little, because the server begins with it while we go on: that is worth
 * more than the calls to the system that larger writes would save, wherever the two have a core each.
 */
const fullWrite = 512;

/** Closing the wire stops the process. */
export function createStdioWire(server: ServerProcess, options: StdioOptions = {}): StdioWire {
  const { onJunk, maxLineBytes, maxWaiting = 64 * 1024 * 1024, memory = processMemory } = options;
  const { stdin, stdout, name } = server;
  let junkLines = 0;
  let waiting = "";
  let isFlushDue = false;
  let drained: Promise<void> | undefined;
  let ended: TransportError | undefined;
  let isClosing = false;
  /** Kept until the first line comes back. */
  let firstSent: string | undefined;
  let hasRead = false;
  let isEcho = false;

  const decoder = createLineDecoder({
    ...(maxLineBytes !== undefined && { maxLineBytes }),
    onLine: read,
    onTooLong(bytes) {
      junk(`(a line of ${bytes} bytes)`);
      wire.onInvalid?.(undefined, new TransportError("too_large", `${name} wrote a line of ${bytes} bytes`));
    },
  });
  let held: MemoryHolding | undefined;
  readFairly(stdout, new LoopShare(), (bytes) => {
    decoder.push(bytes);
    if (held || decoder.heldBytes >= smallBytes) countLine(decoder.heldBytes);
  });
  stdout.once("end", () => {
    decoder.end();
    held?.release();
    // Nothing can come any more, so a server that does not end by itself is helped (C-8).
    void server.stop();
  });

  function countLine(bytes: number): void {
    if (bytes === 0 || held?.isDropped) {
      held?.release();
      held = undefined;
    } else {
      held ??= memory.hold("answers", () => decoder.dropLine());
      held.set(bytes);
    }
  }

  function read(text: string): void {
    if (!hasRead) {
      hasRead = true;
      isEcho = text === firstSent;
      firstSent = undefined;
    }
    if (isEcho) {
      // `cat` and the like: answering it would only produce further echoes.
      void server.stop();
      return;
    }
    // Without the cost of an exception: a server that logs to its stdout writes thousands of these.
    if (!isObjectOrArray.test(text)) {
      junk(text);
      return;
    }
    try {
      for (const message of readMessages(text, name)) handOver(wire, message);
    } catch (error) {
      junk(text);
      refuse(text, error as TransportError);
    }
  }

  /** Who waits for an answer that is none is told at once, at either end. */
  function refuse(text: string, error: TransportError): void {
    const id = answeredIdOf(text);
    if (id !== undefined) wire.onInvalid?.(id, error);
    const refusal = refusalOf(text, error);
    // One that reads nothing gets no more to read.
    if (refusal && !ended && waiting.length <= maxWaiting) void send(refusal);
  }

  function junk(line: string): void {
    junkLines += 1;
    onJunk?.(line.slice(0, junkExcerpt));
  }

  function send(message: JsonRpcMessage): void | Promise<void> {
    if (ended) throw ended;
    if (waiting.length > maxWaiting) throw new TransportError("too_large", `${name} does not read its input`);
    const line = toLine(message);
    if (!hasRead) firstSent ??= line.trimEnd();
    waiting += line;
    if (drained !== undefined) return drained;
    if (waiting.length >= fullWrite) {
      flush();
      return drained;
    }
    if (isFlushDue) return;
    isFlushDue = true;
    // One write for all that is sent in this turn of the event loop.
    setImmediate(flush);
  }

  function flush(): void {
    isFlushDue = false;
    const text = waiting;
    waiting = "";
    if (text === "" || stdin.write(text)) return;
    drained = new Promise((resolve) => {
      stdin.once("drain", () => {
        drained = undefined;
        flush();
        resolve();
      });
    });
  }

  const closed = server.exited.then((exit) => {
    held?.release();
    ended = isClosing
      ? new TransportError("closed", `the connection to ${name} was closed`)
      : isEcho
        ? new TransportError("invalid", `${name} does not speak MCP: it echoes its input`)
        : new TransportError("lost", toObituary(name, exit, server.stderrTail()));
    return ended;
  });

  const wire: StdioWire = {
    peer: name,
    send,
    onMessage: () => {},
    closed,
    get junkLines() {
      return junkLines;
    },
    async close() {
      isClosing = true;
      await server.stop();
    },
  };
  return wire;
}

function toObituary(name: string, { code, signal }: ProcessExit, stderr: string): string {
  const end = signal === null ? `exited with code ${code}` : `was killed by ${signal}`;
  return withLastWords(`${name} ${end}`, stderr);
}
