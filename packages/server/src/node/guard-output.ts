// Keeps a stream for the protocol alone (C-16).
import type { Writable } from "node:stream";

export interface GuardedOutput {
  /** The only way to write to the stream itself. */
  write(text: string, onTaken?: () => void): boolean;
  restore(): void;
}

/** Sends to stderr what the rest of the program writes to `output`: console.log and the prints of libraries alike. */
export function guardOutput(output: Writable): GuardedOutput {
  const original = output.write;
  output.write = process.stderr.write.bind(process.stderr) as Writable["write"];
  return {
    write: (text, onTaken) => original.call(output, text, "utf8", onTaken),
    restore() {
      output.write = original;
    },
  };
}
