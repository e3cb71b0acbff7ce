// One server with every feature that the official suite requires, in both revisions.
import { createServer, type Server } from "@lethe/server";
import { defineContentTools } from "./content.ts";
import { defineInteraction } from "./interaction.ts";
import { definePrompts } from "./prompts.ts";
import { defineResources } from "./resources.ts";
import { defineTasks } from "./tasks.ts";
import { defineTools } from "./tools.ts";

export function createFixture(): Server {
  const server = createServer({ name: "lethe-conformance", version: "0.1.0" });
  defineContentTools(server);
  defineTools(server);
  defineInteraction(server);
  defineTasks(server);
  defineResources(server);
  definePrompts(server);
  return server;
}
