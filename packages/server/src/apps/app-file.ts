// The file of an app's page. Files are opened through the platform, so that a server without files needs no module of Node.

interface FileSystem {
  readFileSync(file: string | URL, encoding: "utf8"): string;
  readonly promises: { readFile(file: string | URL, encoding: "utf8"): Promise<string> };
}

interface Platform {
  readonly process?: { getBuiltinModule?(name: "node:fs"): FileSystem | undefined };
}

/** Returns how to read the file. Throws an Error on a platform without files, and for a file that cannot be read now. */
export function openFile(place: string, file: string | URL): () => Promise<string> {
  const files = (globalThis as Platform).process?.getBuiltinModule?.("node:fs");
  if (!files) throw new Error(`${place}: file: this platform has no files; pass the page as "html"`);
  let last: string;
  try {
    last = files.readFileSync(file, "utf8");
  } catch (cause) {
    throw new Error(`${place}: file: cannot read ${String(file)}: ${(cause as Error).message}`, { cause });
  }
  return async () => {
    // The last text stays while an editor or a build replaces the file.
    last = await files.promises.readFile(file, "utf8").catch(() => last);
    return last;
  };
}
