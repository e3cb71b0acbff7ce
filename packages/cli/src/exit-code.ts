// The exit codes of the command. Every `--help` ends with those of its command.

export const exitCode = { success: 0, usage: 1, unreachable: 2, toolError: 3, unanswered: 4 } as const;

export type ExitReason = keyof typeof exitCode;

const meanings: Readonly<Record<ExitReason, string>> = {
  success: "success",
  usage: "the command, or a file that it names, is invalid",
  unreachable: "the server is unreachable, or answered with an error",
  toolError: "the tool ran and reported an error",
  unanswered: "the server requested input and got no answer",
};

/** The list for `--help`: success, usage, and the given ones, each with another meaning if one is given. */
export function exitCodeHelp(...more: readonly (ExitReason | readonly [ExitReason, string])[]): string {
  const shown = new Map<ExitReason, string>();
  for (const entry of ["success", "usage", ...more] as const) {
    const [reason, meaning] = typeof entry === "string" ? [entry, meanings[entry]] : entry;
    shown.set(reason, meaning);
  }
  const lines = [...shown].map(([reason, meaning]) => `  ${exitCode[reason]}  ${meaning}`);
  return `\nExit codes:\n${lines.join("\n")}`;
}

export const migrateExitCodeHelp = `
Exit codes:
  0  success, also if a person has to finish some lines
  1  the command is invalid, or a file cannot be read, parsed or written`;

/** An error whose message is printed for the user, without a stack trace. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, code: number = exitCode.usage) {
    super(message);
    this.name = "CommandError";
    this.exitCode = code;
  }
}
