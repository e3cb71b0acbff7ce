// Contender: Lethe on node:http. Reads PORT (0 = any) and TOOLS; SIGUSR2 announces a changed tool list.
import { serve } from "@lethe/server/node";
import { announce, portFromEnvironment } from "./contenders/listen.ts";
import { createGreetingServer } from "./greeting-server.ts";

const server = createGreetingServer();
const { url } = await serve(server, { port: portFromEnvironment(), host: "127.0.0.1" });
process.on("SIGUSR2", () => server.toolsChanged());
announce(Number(new URL(url).port));
