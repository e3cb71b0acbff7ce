// Turns an error of a server into one sentence for the user, with advice.
import { type ConnectTarget, isTransportError, type TransportErrorReason } from "@lethe/client";
import { isAuthorizationError } from "@lethe/client/auth";
import { errorCode, isMcpError } from "@lethe/protocol";
import { CommandError, exitCode } from "../exit-code.ts";
import { toPrintable } from "../terminal/printable.ts";

export function toCommandError(error: unknown, target: ConnectTarget): CommandError {
  if (error instanceof CommandError) return error;
  const name = nameOf(target);
  if (isMcpError(error)) {
    const data = error.data === undefined ? "" : ` ${JSON.stringify(error.data)}`;
    const message = toPrintable(`${name} answered ${error.code}: ${error.message}${data}`);
    const hint = error.code === errorCode.missingClientCapability ? "; declare roots with --root" : "";
    return new CommandError(message + hint, exitCode.unreachable);
  }
  const message = toPrintable(error instanceof Error ? error.message : String(error));
  // Errors of the client name the server already.
  if (!isTransportError(error)) return new CommandError(`${name}: ${message}`, exitCode.unreachable);
  const isCommand = typeof target === "object" && "command" in target;
  if (message.includes(startSetting)) {
    const renamed = message.replace(startSetting, "(--start-timeout)");
    return new CommandError(`${renamed}\n${startHint}`, exitCode.unreachable);
  }
  const hint = isAuthorizationError(error) ? undefined : hints[isCommand ? "command" : "url"][error.reason];
  return new CommandError(hint === undefined ? message : `${message}\n${hint}`, exitCode.unreachable);
}

/** Names the server as the client does. */
const startSetting = "(startTimeoutMs)";
const startHint =
  "Check that the program serves MCP on stdio, and raise --start-timeout if it starts slowly. A server of an older revision that " +
  "ignores server/discover may need --era legacy.";

type Hints = Readonly<Partial<Record<TransportErrorReason, string>>>;

const wrongPath =
  "Check the path: most servers answer at /mcp, older ones at /sse. `lethe probe` shows what answers there.";

/** Advice for each kind of error. */
const hints: { readonly url: Hints; readonly command: Hints } = {
  url: {
    unreachable: "Check that the server runs, and that scheme, host and port are correct.",
    unauthorized: "Log in with --login, or set the environment variable LETHE_TOKEN.",
    timeout: "Check whether the server hangs, or raise --timeout.",
    redirect: "Use the URL that it points to, if you trust it.",
    status: wrongPath,
    invalid: wrongPath,
  },
  command: {
    unreachable: "Check that the command is installed and spelled correctly.",
    timeout: "Use --verbose to see what it writes, or raise --timeout.",
    lost: "Use --verbose to see what it writes.",
    invalid: "Use --verbose to see what it writes.",
  },
};

function nameOf(target: ConnectTarget): string {
  if (typeof target === "string" || target instanceof URL) return String(target);
  return "command" in target ? [target.command, ...(target.args ?? [])].join(" ") : "the server";
}
