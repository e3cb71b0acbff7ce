// Starts the server of this project on stdin and stdout. The gateway runs it, as servers.json says.
import { serveStdio } from "@lethe/server/node";
import { createNoteServer } from "./server.ts";

await serveStdio(createNoteServer());
