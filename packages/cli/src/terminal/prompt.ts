// Reads lines from the user. Ctrl-D declines and Ctrl-C cancels the input request.
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

export interface Terminal {
  readonly input: Readable;
  /** Usually stderr, because stdout is for results. */
  readonly output: Writable;
}

/** In fewer columns, which includes a terminal that does not know its size, a redrawn prompt is unreadable. */
const minColumns = 20;

/** Whether prompts may redraw lines and read single keys. */
export function movesCursor({ input, output }: Terminal): boolean {
  const isTerminal = [input, output].every((stream) => (stream as { isTTY?: boolean }).isTTY === true);
  const { columns = 0 } = output as { columns?: number };
  return isTerminal && columns >= minColumns && process.env.TERM !== "dumb";
}

export interface Prompt {
  write(text: string): void;
  /** Resolves with one trimmed line. Rejects with Refusal, or with the reason of the signal. */
  ask(text: string): Promise<string>;
}

/** The user declines or cancels. */
export class Refusal extends Error {
  readonly action: "decline" | "cancel";

  constructor(action: "decline" | "cancel") {
    super(action);
    this.name = "Refusal";
    this.action = action;
  }
}

interface Waiting {
  resolve(line: string): void;
  reject(reason: unknown): void;
}

/** Reads the terminal only while `use` runs. Otherwise Ctrl-C ends the program. */
export async function withPrompt<T>(
  { input, output }: Terminal,
  signal: AbortSignal,
  use: (prompt: Prompt) => Promise<T>,
): Promise<T> {
  const isTerminal = (input as { isTTY?: boolean }).isTTY === true;
  const lines: string[] = [];
  let waiting: Waiting | undefined;
  let ended: { reason: unknown } | undefined;

  function end(reason: unknown): void {
    ended ??= { reason };
    waiting?.reject(reason);
    waiting = undefined;
  }

  signal.throwIfAborted();
  const onAbort = () => end(signal.reason);
  signal.addEventListener("abort", onAbort);
  const reader = createInterface({ input, output, terminal: isTerminal });
  reader.on("SIGINT", () => end(new Refusal("cancel")));
  reader.on("close", () => end(new Refusal("decline")));
  // Keeps lines that were pasted or piped before they are requested.
  reader.on("line", (line) => {
    if (!waiting) lines.push(line);
    else waiting.resolve(line);
    waiting = undefined;
  });

  async function ask(text: string): Promise<string> {
    // A closed reader accepts no prompt, although lines may be left.
    if (ended) output.write(text);
    else {
      reader.setPrompt(text);
      reader.prompt();
    }
    const line =
      lines.shift() ??
      (await new Promise<string>((resolve, reject) => {
        if (ended) reject(ended.reason);
        else waiting = { resolve, reject };
      }));
    return line.trim();
  }

  try {
    return await use({ write: (text) => void output.write(text), ask });
  } catch (error) {
    if (error instanceof Refusal) output.write("\n");
    throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
    reader.close();
  }
}
