// Turns what went wrong with a server into one sentence for the person at the terminal, and what may help.
import { type ConnectTarget, isAuthorizationError, isTransportError } from "@lethe/client";
import { errorCode, isMcpError } from "@lethe/protocol";
import { CommandError, exitCode } from "../exit-code.ts";
import { toPrintable } from "../terminal/printable.ts";

export function toCommandError(error: unknown, target: ConnectTarget): CommandError {
  if (error instanceof CommandError) return error;
  const name = nameOf(target);
  if (isMcpError(error)) {
    const data = error.data === undefined ? "" : ` ${JSON.stringify(error.data)}`;
    const message = toPrintable(`${name} answered ${error.code}: ${error.message}${data}`);
    const hint = error.code === errorCode.missingClientCapability ? "; roots are told with --root" : "";
    return new CommandError(message + hint, exitCode.unreachable);
  }
  const message = toPrintable(error instanceof Error ? error.message : String(error));
  const isLocked = isTransportError(error) && !isAuthorizationError(error) && error.reason === "unauthorized";
  const hint = isLocked ? "\nLog in with --login, or give a token in the environment variable LETHE_TOKEN." : "";
  // The client's own errors name the server already.
  return new CommandError(`${isTransportError(error) ? "" : `${name}: `}${message}${hint}`, exitCode.unreachable);
}

function nameOf(target: ConnectTarget): string {
  if (typeof target === "string" || target instanceof URL) return String(target);
  return "command" in target ? [target.command, ...(target.args ?? [])].join(" ") : "the server";
}
