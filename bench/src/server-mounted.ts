// Contender: the same tools, defined on a server that is mounted on another one. Reads PORT (0 = any) and TOOLS.
import { createServer } from "@lethe/server";
import { serve } from "@lethe/server/node";
import { announce, portFromEnvironment } from "./contenders/listen.ts";
import { createGreetingServer } from "./greeting-server.ts";

const server = createServer({ name: "lethe-bench", version: "1.0.0" }).mount("", createGreetingServer());
process.on("SIGUSR2", () => server.toolsChanged());
const { url } = await serve(server, { port: portFromEnvironment(), host: "127.0.0.1" });
announce(Number(new URL(url).port));
