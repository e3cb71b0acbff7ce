// Contender: Lethe on node:http. Reads PORT (0 = any), TOOLS and TASKS; SIGUSR2 announces a changed tool list.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFileTaskStore, serve } from "@lethe/server/node";
import type { TasksOptions } from "@lethe/server/stores";
import { announce, portFromEnvironment } from "./contenders/listen.ts";
import { taskStoreKind } from "./contenders/tools.ts";
import { createGreetingServer } from "./greeting-server.ts";

const server = createGreetingServer(await taskOptions());
const { url } = await serve(server, { port: portFromEnvironment(), host: "127.0.0.1" });
process.on("SIGUSR2", () => server.toolsChanged());
announce(Number(new URL(url).port));

async function taskOptions(): Promise<TasksOptions | undefined> {
  const kind = taskStoreKind();
  if (kind === undefined) return undefined;
  const maxTasks = 100_000;
  return kind === "memory" ? { maxTasks } : { maxTasks, store: await openTemporaryStore() };
}

/** Removes the file's name before the server listens, so that the file always disappears with the process. */
async function openTemporaryStore() {
  const folder = mkdtempSync(join(tmpdir(), "lethe-bench-"));
  const store = await openFileTaskStore(join(folder, "tasks.lmdb"));
  rmSync(folder, { recursive: true });
  return store;
}
