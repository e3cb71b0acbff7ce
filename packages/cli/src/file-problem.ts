// Why a file cannot be read or written, in words for the person at the terminal.

const words: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder",
  EACCES: "not allowed",
  EPERM: "not allowed",
  EISDIR: "is a folder",
  ENOTDIR: "leads through something that is no folder",
  EROFS: "cannot be written there",
  ENOSPC: "no space left",
};

/** "report.html: no such file or folder". */
export function toFileProblem(path: string, error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return `${path}: ${words[code] ?? message}`;
}
