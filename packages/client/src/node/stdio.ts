// Messages to and from a server process, one per line (C-1). Lines that are no messages are skipped, so that a stray print
// of the server costs only that line.
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
  /** Receives stdout lines that are no messages, at most their first 1 000 characters. */
  onJunk?(line: string): void;
  /** Longest line in bytes; a longer one is skipped. Default 16 MiB. */
  maxLineBytes?: number;
  /** Limit of output for a server that does not read, in UTF-16 code units. Default 64 Mi. */
  maxWaiting?: number;
  /** Counts unfinished lines. Above its hard limit the longest are dropped. Default: one budget per process. */
  memory?: MemoryBudget;
}

export interface StdioWire extends MessageWire {
  /** The number of skipped lines. */
  readonly junkLines: number;
}

const junkExcerpt = 1_000;
/** The start of every message; other lines are not parsed. */
const isObjectOrArray = /^[ \t\r]*[{[]/;
/**
 * Characters per write. A small value lets the server start on the first messages while we serialize the next ones. With
 * a core for each, that saves more than fewer system calls would.
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
  /** Kept until the first line arrives. */
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
    // No message can arrive any more, so a server that does not exit by itself is stopped (C-8).
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
      // `cat` and the like: a response would only produce further echoes.
      void server.stop();
      return;
    }
    // Avoids the cost of an exception: a server that logs to stdout writes thousands of such lines.
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

  /** Both sides learn at once that a message is invalid, so that neither waits for a response. */
  function refuse(text: string, error: TransportError): void {
    const id = answeredIdOf(text);
    if (id !== undefined) wire.onInvalid?.(id, error);
    const refusal = refusalOf(text, error);
    // A server that reads nothing is sent nothing more.
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
    // All messages of one event-loop turn are sent in one write.
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
