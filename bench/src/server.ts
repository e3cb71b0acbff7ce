// Contender: Lethe on node:http. Reads PORT (0 = any), TOOLS and TASKS; SIGUSR2 announces a changed tool list.
import { serve } from "@lethe/server/node";
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
  if (kind === "memory") return { maxTasks };
  const { openTemporaryStore } = await import("./temporary-store.ts");
  return { maxTasks, store: await openTemporaryStore() };
}
