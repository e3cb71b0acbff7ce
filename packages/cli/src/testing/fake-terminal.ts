// Somebody at a terminal who has typed everything in advance.
import { PassThrough, Writable } from "node:stream";
import type { Terminal } from "../terminal/prompt.ts";

export interface FakeTerminal extends Terminal {
  /** What was written so far. */
  shown(): string;
}

/** Without `isOpen` the input ends after the last line, as with Ctrl-D. */
export function createFakeTerminal(lines: readonly string[], { isOpen = false } = {}): FakeTerminal {
  const input = new PassThrough();
  let text = "";
  const output = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  for (const line of lines) input.write(`${line}\n`);
  if (!isOpen) input.end();
  return { input, output, shown: () => text };
}
