// Stores registrations and tokens in a folder that only this user can read (G-46). Several processes can share it.
import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import type { AuthStore } from "../auth/auth-store.ts";

/** Age at which a lock counts as abandoned by a dead process, in ms. Longer than any request to a token endpoint. */
const staleLockMs = 120_000;
const lockPollMs = 50;

/**
 * Creates a store for registrations and tokens in a folder that only this user can read. Several processes can share it. Each entry is one
 * file; `directory` is created on the first write. Its functions reject with the error of the file system.
 *
 * @example
 * import { mkdtemp, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { createFileAuthStore } from "@lethe/client/node";
 *
 * const folder = await mkdtemp(join(tmpdir(), "tokens-"));
 * const store = createFileAuthStore(folder);
 * await store.save("key", { accessToken: "secret" });
 * console.log(await createFileAuthStore(folder).load("key")); // { accessToken: 'secret' }
 * await rm(folder, { recursive: true });
 */
export function createFileAuthStore(directory: string): AuthStore {
  // Keys contain URLs, which are not valid file names.
  const pathOf = (key: string) => join(directory, `${createHash("sha256").update(key).digest("hex")}.json`);
  const makeDirectory = () => mkdir(directory, { recursive: true, mode: 0o700 });

  return {
    load: (key) => readEntry(pathOf(key)),
    async save(key, value) {
      await makeDirectory();
      // Written to a temporary file and renamed, so that readers never see a partial file.
      const aside = `${pathOf(key)}.${randomUUID()}`;
      try {
        await writeFile(aside, JSON.stringify(value), { mode: 0o600, flag: "wx" });
        await rename(aside, pathOf(key));
      } catch (error) {
        await rm(aside, { force: true });
        throw error;
      }
    },
    delete: (key) => rm(pathOf(key), { force: true }),
    async exclusively(key, task) {
      await makeDirectory();
      const lock = `${pathOf(key)}.lock`;
      await acquire(lock);
      try {
        return await task();
      } finally {
        await rm(lock, { force: true });
      }
    },
  };
}

async function readEntry(path: string): Promise<JsonObject | undefined> {
  const text = await readFile(path, "utf8").catch(undefinedWhen("ENOENT"));
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Waits while other processes hold the lock. Each holds it for a bounded time. */
async function acquire(lock: string): Promise<void> {
  for (;;) {
    const handle = await open(lock, "wx", 0o600).catch(undefinedWhen("EEXIST"));
    if (handle) return handle.close();
    const found = await stat(lock).catch(undefinedWhen("ENOENT"));
    if (found && Date.now() - found.mtimeMs > staleLockMs) await rm(lock, { force: true });
    else await delay(lockPollMs);
  }
}

function undefinedWhen(code: string): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (error.code !== code) throw error;
  };
}
