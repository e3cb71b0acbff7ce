// What a server process had to say about its own failure: the end of its stderr, after what was noticed of it (C-2).

/** A trace of Node has its words above ten lines of places. */
const maxLines = 20;
const maxLength = 2_000;

export function withLastWords(what: string, stderr: string): string {
  const words = stderr.trimEnd().split("\n").slice(-maxLines).join("\n").slice(-maxLength);
  return words === "" ? what : `${what}; it last wrote:\n${words}`;
}
