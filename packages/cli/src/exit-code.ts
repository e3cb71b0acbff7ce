// What the command's exit status means; every `--help` ends with this list.

export const exitCode = { success: 0, usage: 1, unreachable: 2, toolError: 3, unanswered: 4 } as const;

export const exitCodeHelp = `
Exit codes:
  0  it worked
  1  the command, or a file that it names, is wrong
  2  the server could not be reached, or answered with an error
  3  the tool ran and reported an error
  4  the server asked a question that nobody answered`;

/** An error whose message is meant for the person at the terminal, without a stack. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, code: number = exitCode.usage) {
    super(message);
    this.name = "CommandError";
    this.exitCode = code;
  }
}
