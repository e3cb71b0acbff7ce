// Prints results to stdout. A terminal gets printable text, a pipe or a file the unchanged result.
import { toPrintable } from "../terminal/printable.ts";

/** Adds a final line break unless the text is empty. */
export function print(text: string): void {
  if (text === "") return;
  const whole = text.endsWith("\n") ? text : `${text}\n`;
  process.stdout.write(process.stdout.isTTY ? toPrintable(whole) : whole);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}
