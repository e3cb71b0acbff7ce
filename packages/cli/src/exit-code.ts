// The exit codes of the command. Every `--help` ends with this list.

export const exitCode = { success: 0, usage: 1, unreachable: 2, toolError: 3, unanswered: 4 } as const;

export const exitCodeHelp = `
Exit codes:
  0  success
  1  the command, or a file that it names, is invalid
  2  the server is unreachable, or answered with an error
  3  the tool ran and reported an error
  4  the server requested input and got no answer`;

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
