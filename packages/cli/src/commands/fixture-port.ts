// The option --port of `lethe record` and `lethe replay`.
import { CommandError } from "../exit-code.ts";

export function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new CommandError(`--port must be a port from 0 to 65535, got "${text}"`);
}
