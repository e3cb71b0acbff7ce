// A terminal at which keys are pressed when a text appears.
import { PassThrough, Writable } from "node:stream";
import type { Terminal } from "../terminal/prompt.ts";

export const keys = { down: "\u001b[B", enter: "\r", space: " ", ctrlC: "\u0003" } as const;

export interface KeyTerminal extends Terminal {
  /** What was written so far. */
  shown(): string;
}

/** A text that appears after the step before, and the keys that are then pressed, one at a time. */
export type KeyStep = readonly [text: string, ...keys: string[]];

export function createKeyTerminal(...steps: KeyStep[]): KeyTerminal {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input });
  const pending = [...steps];
  let shown = "";
  let from = 0;
  const output = Object.assign(
    new Writable({
      write(chunk, _encoding, done) {
        shown += chunk;
        const [next] = pending;
        if (next && shown.indexOf(next[0], from) >= 0) {
          pending.shift();
          from = shown.length;
          void press(next.slice(1));
        }
        done();
      },
    }),
    { isTTY: true, columns: 100, rows: 40 },
  );
  /** A prompt handles each key before the next one. */
  async function press(given: readonly string[]): Promise<void> {
    for (const key of given) {
      await new Promise((resolve) => setImmediate(resolve));
      input.write(key);
    }
  }
  return { input, output, shown: () => shown };
}
