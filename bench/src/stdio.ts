// Contender: Lethe over stdio. Reads TOOLS.
import { serveStdio } from "@lethe/server/node";
import { createGreetingServer } from "./greeting-server.ts";

await serveStdio(createGreetingServer());
