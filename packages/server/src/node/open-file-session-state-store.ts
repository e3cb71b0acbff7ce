// Opens the session store in a file. Loads LMDB on demand.
import type { SessionStateStore } from "../session/session-state-store.ts";

/**
 * Opens the store for the option `sessionStore` in a file, or creates it, readable only by the owner of the process. Requires the package
 * `lmdb`. All processes of one machine can share the file, and its writes survive a crash of the process or the machine. Rejects if `lmdb` is
 * not installed or the file cannot be opened.
 *
 * @example
 * import { mkdtemp, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { createServer } from "@lethe/server";
 * import { openFileSessionStateStore } from "@lethe/server/node";
 *
 * const folder = await mkdtemp(join(tmpdir(), "sessions-"));
 * const sessionStore = await openFileSessionStateStore(join(folder, "sessions.mdb"));
 * const server = createServer({ name: "shop", version: "1.0.0" }, { sessionStore });
 * console.log(server.info.name); // shop
 * await server.close();
 * await rm(folder, { recursive: true });
 */
export async function openFileSessionStateStore(path: string): Promise<SessionStateStore> {
  const { createFileSessionStateStore } = await import("./file-session-state-store.ts");
  return createFileSessionStateStore(path);
}
