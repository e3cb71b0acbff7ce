// A folder of skills as it is now: read at first, watched, and read again after a change.
import type { FileSystem, FolderWatcher } from "./file-system.ts";
import { DigestCache, noSkills, readCatalog, type SkillCatalog } from "./skill-catalog.ts";

export interface SkillFolderOptions {
  readonly files: FileSystem;
  readonly folder: string | URL;
  /** What the URIs begin with. */
  readonly base: string;
  readonly isWatched: boolean;
  onProblem(problem: string): void;
  /** Called after the catalog was replaced. */
  onChange(now: SkillCatalog, before: SkillCatalog): void;
}

/** How long to wait for further changes, in ms. */
const settleMs = 200;
/** Further changes put off reading by at most this many times `settleMs`. */
const putOffFactor = 10;
/** The maximum number of folders that are watched. */
const maxWatched = 1_000;

export class SkillFolder {
  #current: SkillCatalog = noSkills;
  readonly #options: SkillFolderOptions;
  readonly #digests: DigestCache = new DigestCache();
  readonly #watchers: Map<string, FolderWatcher> = new Map();
  /** Problems that were reported, so that each is reported once. */
  #problems: ReadonlySet<string> = new Set();
  #reading: Promise<void> | undefined;
  #isStale = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waitsSince: number | undefined;
  #isClosed = false;

  constructor(options: SkillFolderOptions) {
    this.#options = options;
  }

  get current(): SkillCatalog {
    return this.#current;
  }

  /** Reads the folder. Never rejects: if it cannot be read, the skills stay as they are. A call during another one reads it once more. */
  read(): Promise<void> {
    this.#isStale = true;
    this.#reading ??= this.#readUntilFresh().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  async #readUntilFresh(): Promise<void> {
    while (this.#isStale && !this.#isClosed) {
      this.#isStale = false;
      await this.#readOnce();
    }
  }

  async #readOnce(): Promise<void> {
    const { files, folder, base, onChange } = this.#options;
    const problems = new Set<string>();
    // The watch of a folder ends if it is removed, also if there is a new one in its place.
    for (const [path, watcher] of [...this.#watchers]) {
      this.#unwatch(path, watcher);
      this.#watchFolder(path, new Set());
    }
    try {
      const root = await files.promises.realpath(folder);
      const options = { files, root, base, digests: this.#digests };
      const now = await readCatalog({ ...options, onProblem: (path, why) => problems.add(`${path}: ${why}`) });
      this.#digests.sweep();
      if (this.#isClosed) return;
      const before = this.#current;
      this.#current = now;
      this.#watch(root, now.folders, problems);
      onChange(now, before);
    } catch (error) {
      problems.add((error as Error).message);
    }
    this.#report(problems);
  }

  #report(problems: ReadonlySet<string>): void {
    const { folder, onProblem } = this.#options;
    for (const problem of problems) {
      if (!this.#problems.has(problem)) onProblem(`skills: folder ${JSON.stringify(String(folder))}: ${problem}`);
    }
    this.#problems = problems;
  }

  #watch(root: string, folders: readonly string[], problems: Set<string>): void {
    if (!this.#options.isWatched) return;
    const wanted = new Set(folders.slice(0, maxWatched).map((path) => (path === "" ? root : `${root}/${path}`)));
    if (folders.length > maxWatched) problems.add(`changes are noticed in ${maxWatched} of ${folders.length} folders`);
    for (const [path, watcher] of this.#watchers) if (!wanted.has(path)) this.#unwatch(path, watcher);
    const added = [...wanted].filter((path) => !this.#watchers.has(path));
    for (const path of added) this.#watchFolder(path, problems);
    // A file may have been added between the reading and the watching.
    if (added.length > 0) this.#schedule();
  }

  #watchFolder(path: string, problems: Set<string>): void {
    try {
      const watcher = this.#options.files.watch(path, { persistent: false }, () => this.#schedule());
      watcher.on("error", () => this.#unwatch(path, watcher));
      this.#watchers.set(path, watcher);
    } catch (error) {
      problems.add(`changes are not noticed: ${(error as Error).message}`);
    }
  }

  #unwatch(path: string, watcher: FolderWatcher): void {
    watcher.close();
    if (this.#watchers.get(path) === watcher) this.#watchers.delete(path);
  }

  #schedule(): void {
    if (this.#isClosed) return;
    const now = performance.now();
    this.#waitsSince ??= now;
    // A folder in which something is written all the time never settles.
    if (this.#timer !== undefined && now - this.#waitsSince > putOffFactor * settleMs) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#waitsSince = undefined;
      void this.read();
    }, settleMs);
    // The watch keeps no process alive.
    (this.#timer as { unref?(): void }).unref?.();
  }
}
