// Shows a change of a settings file, and asks whether to write it.
import { CommandError } from "../exit-code.ts";
import { toPrintable } from "../terminal/printable.ts";
import { Refusal, withPrompt } from "../terminal/prompt.ts";
import { createStyle } from "../terminal/style.ts";

export function showDiff(file: string, diff: readonly string[]): void {
  const { bold, green, red } = createStyle(process.stdout);
  if (diff.length === 0) return void process.stdout.write(`${file} needs no change.\n`);
  const lines = diff.map((line) => {
    const text = toPrintable(line);
    return line.startsWith("+") ? green(text) : line.startsWith("-") ? red(text) : text;
  });
  process.stdout.write(`${bold(file)}\n${lines.join("\n")}\n`);
}

/** Rejects with CommandError unless the user consents. */
export async function requireConsent(file: string): Promise<void> {
  if (!process.stdin.isTTY) throw new CommandError("nothing was written: give --yes, or run it in a terminal");
  const terminal = { input: process.stdin, output: process.stderr };
  const answer = await withPrompt(terminal, new AbortController().signal, ({ ask }) =>
    ask(`Write ${file}? [y/N] `),
  ).catch((error: unknown) => {
    if (error instanceof Refusal) return "";
    throw error;
  });
  if (!/^y(es)?$/i.test(answer)) throw new CommandError("nothing was written");
}
