// `--timeout SECONDS`, kept in ms.
import { CommandError } from "../exit-code.ts";

/** A day: a timer of Node holds 24 of them, and a person waits for none. */
const maxSeconds = 86_400;

export function parseTimeout(text: string): number {
  const seconds = Number(text);
  if (text.trim() === "" || !(seconds > 0 && seconds <= maxSeconds)) {
    throw new CommandError(`--timeout must be a number of seconds above 0 and up to ${maxSeconds}, got "${text}"`);
  }
  return seconds * 1000;
}
