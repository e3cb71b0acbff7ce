// Parses `--timeout SECONDS` and `--start-timeout SECONDS` into ms.
import { CommandError } from "../exit-code.ts";

/** One day, which is below the limit of timers in Node. */
const maxSeconds = 86_400;

export const parseTimeout = (text: string): number => parseSeconds("--timeout", text);

export const parseStartTimeout = (text: string): number => parseSeconds("--start-timeout", text);

export const parseInterval = (text: string): number => parseSeconds("--interval", text);

/** Time limit of the first answer of a started server, because `npx` or `docker run` may have to download it. */
export const defaultStartTimeoutMs = 60_000;

export const startTimeoutHelp = "for a started server: time limit of its first answer (default: 60)";

export const eraHelp = "the era to use; auto detects it";

export const eras = ["auto", "modern", "legacy"] as const;

function parseSeconds(option: string, text: string): number {
  const seconds = Number(text);
  if (text.trim() === "" || !(seconds > 0 && seconds <= maxSeconds)) {
    throw new CommandError(`${option} must be a number of seconds above 0 and up to ${maxSeconds}, got "${text}"`);
  }
  return seconds * 1000;
}
