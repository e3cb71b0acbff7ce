// The file of an app's page. Files are opened through the platform, so that a server without files needs no module of Node.

interface FolderWatcher {
  on(event: "error", listener: (error: Error) => void): unknown;
  close(): void;
}

interface FileSystem {
  readFileSync(file: string | URL, encoding: "utf8"): string;
  watch(
    folder: string | URL,
    options: { persistent: boolean },
    listener: (event: string, name: string | null) => void,
  ): FolderWatcher;
  readonly promises: { readFile(file: string | URL, encoding: "utf8"): Promise<string> };
}

interface Path {
  dirname(path: string): string;
  basename(path: string): string;
}

interface Platform {
  readonly process?: {
    getBuiltinModule?: ((name: "node:fs") => FileSystem | undefined) & ((name: "node:path") => Path | undefined);
  };
}

export interface AppFile {
  read(): Promise<string>;
  /** Calls back after each change of the text, until the returned function is called. A platform that cannot watch reports no changes. */
  watch(onChange: () => void): () => void;
}

/** Throws an Error on a platform without files, and for a file that cannot be read now. */
export function openFile(place: string, file: string | URL): AppFile {
  const { process } = globalThis as Platform;
  const files = process?.getBuiltinModule?.("node:fs");
  const path = process?.getBuiltinModule?.("node:path");
  if (!files || !path) throw new Error(`${place}: file: this platform has no files; pass the page as "html"`);
  let last: string;
  try {
    last = files.readFileSync(file, "utf8");
  } catch (cause) {
    throw new Error(`${place}: file: cannot read ${String(file)}: ${(cause as Error).message}`, { cause });
  }
  // The last text stays while an editor or a build replaces the file.
  const read = async () => {
    last = await files.promises.readFile(file, "utf8").catch(() => last);
    return last;
  };
  return { read, watch: (onChange) => watchFile(files, placeOf(file, path), { read, onChange, first: last }) };
}

interface Place {
  readonly folder: string | URL;
  readonly name: string;
}

function placeOf(file: string | URL, path: Path): Place {
  if (typeof file === "string") return { folder: path.dirname(file), name: path.basename(file) };
  return { folder: new URL(".", file), name: decodeURIComponent(path.basename(file.pathname)) };
}

interface Watched {
  read(): Promise<string>;
  onChange(): void;
  /** The text when the watch begins. */
  readonly first: string;
}

/** Watches the folder, because editors and builds replace the file. One change may be reported several times: only the text decides. */
function watchFile(files: FileSystem, { folder, name }: Place, { read, onChange, first }: Watched): () => void {
  let known = first;
  const compare = async () => {
    const now = await read();
    if (now === known) return;
    known = now;
    onChange();
  };
  try {
    const watcher = files.watch(folder, { persistent: false }, (_, changed) => {
      if (changed === null || changed === name) void compare();
    });
    watcher.on("error", () => watcher.close());
    return () => watcher.close();
  } catch {
    // Some file systems cannot be watched. The page is still read again for each request.
    return () => {};
  }
}
