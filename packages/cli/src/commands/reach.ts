// Turns what went wrong with a server into one sentence for the person at the terminal, and what may help.
import { type ConnectTarget, isAuthorizationError, isTransportError, type TransportErrorReason } from "@lethe/client";
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
  // The client's own errors name the server already.
  if (!isTransportError(error)) return new CommandError(`${name}: ${message}`, exitCode.unreachable);
  const isCommand = typeof target === "object" && "command" in target;
  if (message.includes(startSetting)) {
    const renamed = message.replace(startSetting, "(--start-timeout)");
    return new CommandError(`${renamed}\n${startHint}`, exitCode.unreachable);
  }
  const hint = isAuthorizationError(error) ? undefined : hints[isCommand ? "command" : "url"][error.reason];
  return new CommandError(hint === undefined ? message : `${message}\n${hint}`, exitCode.unreachable);
}

/** As the client names it. */
const startSetting = "(startTimeoutMs)";
const startHint =
  "Give it longer with --start-timeout. A server of an older revision that ignores server/discover may need --era legacy.";

type Hints = Readonly<Partial<Record<TransportErrorReason, string>>>;

const wrongPath = "Check the path: most servers answer at /mcp, older ones at /sse. `lethe probe` says what is there.";

/** What to do next. */
const hints: { readonly url: Hints; readonly command: Hints } = {
  url: {
    unreachable: "See whether the server runs, and whether scheme, host and port are right.",
    unauthorized: "Log in with --login, or give a token in the environment variable LETHE_TOKEN.",
    timeout: "See whether the server hangs, or give it longer with --timeout.",
    redirect: "Use the address that it points to, if you trust it.",
    status: wrongPath,
    invalid: wrongPath,
  },
  command: {
    unreachable: "See whether the command is installed and spelled right.",
    timeout: "See with --verbose what it writes, or give it longer with --timeout.",
    lost: "See with --verbose what it writes.",
    invalid: "See with --verbose what it writes.",
  },
};

function nameOf(target: ConnectTarget): string {
  if (typeof target === "string" || target instanceof URL) return String(target);
  return "command" in target ? [target.command, ...(target.args ?? [])].join(" ") : "the server";
}
