// An option in seconds, kept in ms.
import { CommandError } from "../exit-code.ts";

export function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!Number.isFinite(seconds) || seconds <= 0)
    throw new CommandError(`seconds must be a number above 0, got "${text}"`);
  return seconds * 1000;
}
