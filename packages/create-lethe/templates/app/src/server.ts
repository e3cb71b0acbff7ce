// A tool with a page (MCP Apps): the client shows page.html beside the result and passes the result to it.
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "@lethe/server";
import { z } from "zod";

const pageUri = "ui://__name__/dice";
/** The page is in the folder of the project, for src/ and dist/ alike. */
const pageFile = new URL("../page.html", import.meta.url);

/** `roll` returns a number from 1 to `sides`; tests replace it. */
export function createDiceServer(roll: (sides: number) => number = rollDie): Server {
  const server = createServer({ name: "__name__", version: "0.1.0" });

  server.tool("show_dice", {
    description: "Roll dice and show them",
    inputSchema: z.object({ sides: z.int().min(2).max(100), count: z.int().min(1).max(10) }),
    // Clients without MCP Apps show the data as text.
    outputSchema: z.object({ rolls: z.array(z.number()), total: z.number() }),
    _meta: { ui: { resourceUri: pageUri } },
    handler({ sides, count }) {
      const rolls = Array.from({ length: count }, () => roll(sides));
      return { rolls, total: rolls.reduce((sum, value) => sum + value, 0) };
    },
  });

  server.resource(pageUri, {
    name: "Dice",
    description: "The page of show_dice",
    mimeType: "text/html;profile=mcp-app",
    handler: () => readFile(pageFile, "utf8"),
  });

  return server;
}

function rollDie(sides: number): number {
  return 1 + Math.floor(Math.random() * sides);
}
