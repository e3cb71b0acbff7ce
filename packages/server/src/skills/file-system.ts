// What skills need of the platform's files. They are opened through the platform, so that a server without files needs no module of Node.

export interface FolderEntry {
  readonly name: string;
  isFile(): boolean;
  isDirectory(): boolean;
}

export interface FileStat {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
  isFile(): boolean;
  isDirectory(): boolean;
}

export interface OpenFile {
  stat(): Promise<FileStat>;
  read(into: Uint8Array, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
  close(): Promise<void>;
}

export interface FolderWatcher {
  on(event: "error", listener: (error: Error) => void): unknown;
  close(): void;
}

/** The part of node:fs that skills use. */
export interface FileSystem {
  statSync(path: string | URL): FileStat;
  watch(path: string, options: { persistent: boolean }, listener: () => void): FolderWatcher;
  readonly promises: {
    realpath(path: string | URL): Promise<string>;
    lstat(path: string): Promise<FileStat>;
    readdir(path: string, options: { withFileTypes: true }): Promise<FolderEntry[]>;
    open(path: string, flags: number): Promise<OpenFile>;
  };
  readonly constants: { readonly O_RDONLY: number; readonly O_NOFOLLOW?: number; readonly O_NONBLOCK?: number };
}

interface Platform {
  readonly process?: { getBuiltinModule?(name: "node:fs"): FileSystem | undefined };
}

/** Throws an Error that names the folder if the platform has no files or the folder is not there. */
export function openFolder(folder: string | URL): FileSystem {
  const place = `skills: folder ${JSON.stringify(String(folder))}`;
  const files = (globalThis as Platform).process?.getBuiltinModule?.("node:fs");
  if (!files) throw new Error(`${place}: this platform has no files`);
  let isFolder: boolean;
  try {
    isFolder = files.statSync(folder).isDirectory();
  } catch (cause) {
    throw new Error(`${place}: cannot be read: ${(cause as Error).message}`, { cause });
  }
  if (!isFolder) throw new Error(`${place}: a folder expected that contains a folder per skill`);
  return files;
}

/**
 * Reads a regular file of at most `maxBytes`, and not through a link. Rejects with an Error that says what is wrong.
 * A pipe is not waited for.
 */
export async function readRegularFile(
  { promises, constants }: FileSystem,
  path: string,
  maxBytes: number,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly stat: FileStat }> {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const file = await promises.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new Error("a regular file expected");
    if (stat.size > maxBytes) throw new Error(`at most ${maxBytes} bytes expected, got ${stat.size}`);
    const bytes = new Uint8Array(stat.size);
    const { bytesRead } = stat.size > 0 ? await file.read(bytes, 0, stat.size, 0) : { bytesRead: 0 };
    if (bytesRead !== stat.size) throw new Error("it changed while it was read");
    return { bytes, stat };
  } finally {
    await file.close();
  }
}
