// Parses `--redirect-port PORT`.
import { CommandError } from "../exit-code.ts";

export function parseRedirectPort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new CommandError(`--redirect-port must be a whole number from 1 to 65535, got "${text}"`);
}
