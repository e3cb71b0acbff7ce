// The server of server.mjs, in this process or in its own.
import { fileURLToPath } from "node:url";
import type { Server, ServerOptions } from "@lethe/server";

export const serverFile = fileURLToPath(new URL("./server.mjs", import.meta.url));

const { createTracker: create } = (await import(serverFile)) as { createTracker(options?: ServerOptions): Server };

export function createTracker(options?: ServerOptions): Server {
  return create(options);
}
