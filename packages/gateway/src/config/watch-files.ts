// Tells when files have changed. Folders are watched and contents compared: editors replace a file instead of writing it,
// and Kubernetes swaps a link beside it.
import { createHash } from "node:crypto";
import { type FSWatcher, watch } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";

export interface WatchFilesOptions {
  /** How long to wait for the rest of a change, in ms. Default 200. */
  settleMs?: number;
  onChange(): void;
  /** A folder cannot be watched: changes in it go unnoticed. */
  onError?(error: Error): void;
}

export interface FileWatch {
  /**
   * Watches these instead, as they are now; the same as before go on being compared with what they were, because they may
   * have changed since they were read.
   */
  follow(files: readonly string[]): Promise<void>;
  close(): void;
}

export function watchFiles(options: WatchFilesOptions): FileWatch {
  const { settleMs = 200, onChange, onError } = options;
  const watchers = new Map<string, FSWatcher>();
  let files: readonly string[] = [];
  let known = "";
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function schedule(): void {
    clearTimeout(timer);
    timer = setTimeout(() => void compare(), settleMs);
  }

  async function compare(): Promise<void> {
    const current = await digestOf(files);
    if (isClosed || current === known) return;
    known = current;
    onChange();
  }

  function watchFolder(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, schedule);
      watcher.on("error", (error) => {
        watchers.delete(folder);
        watcher.close();
        onError?.(error);
      });
      watchers.set(folder, watcher);
    } catch (error) {
      onError?.(error as Error);
    }
  }

  return {
    async follow(next) {
      const isSame = next.length === files.length && next.every((file, index) => file === files[index]);
      files = next;
      const folders = new Set(next.map((file) => dirname(file)));
      for (const [folder, watcher] of watchers) {
        if (folders.has(folder)) continue;
        watchers.delete(folder);
        watcher.close();
      }
      for (const folder of folders) if (!watchers.has(folder) && !isClosed) watchFolder(folder);
      // After the watching has begun: what changes in between is not lost.
      if (!isSame) known = await digestOf(next);
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
}

/** A file that is not there is as good as an empty one: whoever reads it will say what is wrong. */
async function digestOf(files: readonly string[]): Promise<string> {
  const texts = await Promise.all(files.map((file) => readFile(file).catch(() => "")));
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text).update("\0");
  return hash.digest("base64");
}
