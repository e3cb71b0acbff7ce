// Reserves a stream for the protocol (C-16).
import type { Writable } from "node:stream";

export interface GuardedOutput {
  /** Writes to the stream itself. */
  write(text: string, onTaken?: () => void): boolean;
  restore(): void;
}

/** Redirects every other write to `output`, such as console.log, to stderr. */
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
