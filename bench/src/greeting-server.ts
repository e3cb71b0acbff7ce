// The benchmark's tools, written with Lethe.
import { createServer, type Server } from "@lethe/server";
import type { TasksOptions } from "@lethe/server/stores";
import {
  askingToolName,
  description,
  greetInput,
  greetingOf,
  offersAsking,
  offersProgress,
  progressToolName,
  question,
  taskToolName,
  toolCount,
  toolNames,
} from "./contenders/tools.ts";

/** With `tasks`, a tool returns a task that runs until the next SIGUSR2. */
export function createGreetingServer(tasks?: TasksOptions): Server {
  const server = createServer({ name: "lethe-bench", version: "1.0.0" }, tasks && { tasks });
  for (const name of toolNames(toolCount())) {
    server.tool(name, { description, inputSchema: greetInput(), handler: ({ name }) => greetingOf(String(name)) });
  }
  if (offersProgress()) {
    server.tool(progressToolName, {
      description,
      inputSchema: greetInput(),
      handler({ name }, ctx) {
        ctx.progress(1, 1);
        return greetingOf(String(name));
      },
    });
  }
  if (offersAsking()) {
    server.tool(askingToolName, {
      description,
      handler: async (_, ctx) => greetingOf((await ctx.elicit(question, greetInput())).name),
    });
  }
  if (tasks) {
    server.tool(taskToolName, {
      description,
      inputSchema: greetInput(),
      task: "always",
      async handler({ name }) {
        await nextSignal();
        return greetingOf(String(name));
      },
    });
  }
  return server;
}

let signalled: Promise<unknown> | undefined;

/** One listener for all waiting tasks. */
function nextSignal(): Promise<unknown> {
  signalled ??= new Promise<void>((resolve) => process.once("SIGUSR2", resolve)).then(() => {
    signalled = undefined;
  });
  return signalled;
}
