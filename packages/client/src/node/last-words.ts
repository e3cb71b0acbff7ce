// Appends the end of a server's stderr to an error about that server (C-2).

/** A Node stack trace has its message above about ten lines of positions. */
const maxLines = 20;
const maxLength = 2_000;

export function withLastWords(what: string, stderr: string): string {
  const words = stderr.trimEnd().split("\n").slice(-maxLines).join("\n").slice(-maxLength);
  return words === "" ? what : `${what}; it last wrote:\n${words}`;
}
