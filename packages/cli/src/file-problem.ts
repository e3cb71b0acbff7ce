// Describes why a file cannot be read or written.

const words: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "is a folder",
  ENOTDIR: "a part of the path is not a folder",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left",
};

/** Returns a message such as "report.html: no such file or folder". */
export function toFileProblem(path: string, error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return `${path}: ${words[code] ?? message}`;
}
