// What every contender offers, written with Lethe.
import { createServer, type Server } from "@lethe/server";
import {
  askingToolName,
  description,
  greetInput,
  greetingOf,
  offersAsking,
  offersProgress,
  progressToolName,
  question,
  toolCount,
  toolNames,
} from "./contenders/tools.ts";

export function createGreetingServer(): Server {
  const server = createServer({ name: "lethe-bench", version: "1.0.0" });
  for (const name of toolNames(toolCount())) {
    server.tool(name, { description, input: greetInput(), run: ({ name }) => greetingOf(String(name)) });
  }
  if (offersProgress()) {
    server.tool(progressToolName, {
      description,
      input: greetInput(),
      run({ name }, ctx) {
        ctx.progress(1, 1);
        return greetingOf(String(name));
      },
    });
  }
  if (offersAsking()) {
    server.tool(askingToolName, {
      description,
      run: async (_, ctx) => greetingOf((await ctx.elicit(question, greetInput())).name),
    });
  }
  return server;
}
