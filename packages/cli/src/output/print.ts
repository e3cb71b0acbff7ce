// Results go to stdout. On a terminal they are made safe to show; a pipe or a file gets them as they are.
import { toPrintable } from "../terminal/printable.ts";

/** Ends with a line break, unless there is nothing to print. */
export function print(text: string): void {
  if (text === "") return;
  const whole = text.endsWith("\n") ? text : `${text}\n`;
  process.stdout.write(process.stdout.isTTY ? toPrintable(whole) : whole);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}
