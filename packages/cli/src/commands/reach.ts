// Turns what went wrong with a server into one sentence for the person at the terminal.
import { isMcpError } from "@lethe/protocol";
import { CommandError, exitCode } from "../exit-code.ts";

export function toCommandError(error: unknown, url: string): CommandError {
  if (error instanceof CommandError) return error;
  if (isMcpError(error)) {
    const data = error.data === undefined ? "" : ` ${JSON.stringify(error.data)}`;
    return new CommandError(`${url} answered ${error.code}: ${error.message}${data}`, exitCode.unreachable);
  }
  return new CommandError(`${url}: ${error instanceof Error ? error.message : String(error)}`, exitCode.unreachable);
}
