// The server of this project. The gateway offers its tools with the prefix of its name in servers.json: notes__add.
import { createServer, type Server } from "@lethe/server";
import { z } from "zod";

export function createNoteServer(): Server {
  const server = createServer({ name: "__name__", version: "0.1.0" });
  const notes: string[] = [];

  server.tool("add", {
    description: "Add a note",
    inputSchema: z.object({ text: z.string().min(1).max(1_000).describe("The note") }),
    handler({ text }) {
      notes.push(text);
      return `Note ${notes.length}: ${text}`;
    },
  });

  server.tool("list", {
    description: "List all notes",
    annotations: { readOnlyHint: true },
    outputSchema: z.object({ notes: z.array(z.string()) }),
    handler: () => ({ notes }),
  });

  return server;
}
