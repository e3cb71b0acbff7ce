// Authorization: an API key identifies the caller, and a tool may require a scope. For tokens of an OAuth authorization
// server, use createAuthenticator instead of createKeyAuthenticator.

import { createServer } from "@lethe/server";
import { createKeyAuthenticator } from "@lethe/server/auth";
import { z } from "zod";
import { serveWhenMain } from "./serve-when-main.ts";

const notes = ["Buy milk"];

const auth = createKeyAuthenticator([
  { id: "reader", key: process.env.READER_KEY ?? "the-key-of-a-reader", scopes: ["notes:read"] },
  { id: "writer", key: process.env.WRITER_KEY ?? "the-key-of-a-writer", scopes: ["notes:read", "notes:write"] },
]);

export const server = createServer({ name: "authorization", version: "1.0.0" }, { auth });

server.tool("list_notes", {
  description: "All notes",
  scopes: ["notes:read"],
  handler: () => notes.join("\n"),
});

server.tool("add_note", {
  description: "Add a note",
  scopes: ["notes:write"],
  inputSchema: z.object({ note: z.string() }),
  handler: ({ note }, ctx) => `Note ${notes.push(`${note} (${ctx.caller?.id})`)} added`,
});

await serveWhenMain(server, import.meta.url);
