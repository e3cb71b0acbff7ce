// Detects changed files. It watches folders and compares contents, because editors replace files and Kubernetes swaps a link.
import { createHash } from "node:crypto";
import { type FSWatcher, watch } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { checkOptions, type KnownOptions } from "@lethe/protocol";

export interface WatchFilesOptions {
  /** How long to wait for further changes, in ms. Default 200. */
  settleMs?: number;
  onChange(): void;
  /** Called when a folder cannot be watched, so that changes in it may go unnoticed. */
  onError?(error: Error): void;
}

const knownWatchFilesOptions: KnownOptions<WatchFilesOptions> = {
  settleMs: true,
  onChange: "a function",
  onError: true,
};

export interface FileWatch {
  /**
   * Watches these files instead. Files that were watched before are still compared with their earlier content, because they
   * may have changed since they were read.
   */
  follow(files: readonly string[]): Promise<void>;
  close(): void;
}

/** Further changes put off a report by at most this many times `settleMs`. */
const putOffFactor = 10;

export function watchFiles(options: WatchFilesOptions): FileWatch {
  checkOptions("watchFiles", options, knownWatchFilesOptions);
  const { settleMs = 200, onChange, onError } = options;
  const watchers = new Map<string, FSWatcher>();
  let files: readonly string[] = [];
  let known = "";
  let timer: NodeJS.Timeout | undefined;
  let waitsSince: number | undefined;
  let isClosed = false;

  function schedule(): void {
    const now = performance.now();
    waitsSince ??= now;
    // A folder in which something is written all the time never settles.
    if (timer && now - waitsSince > putOffFactor * settleMs) return;
    clearTimeout(timer);
    timer = setTimeout(() => void compare(), settleMs);
  }

  async function compare(): Promise<void> {
    timer = undefined;
    waitsSince = undefined;
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
      // Compares after watching has begun, so that no change in between is lost.
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

/** A missing file counts as empty. Reading it reports the error. */
async function digestOf(files: readonly string[]): Promise<string> {
  const texts = await Promise.all(files.map((file) => readFile(file).catch(() => "")));
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text).update("\0");
  return hash.digest("base64");
}
