// A server for the process that starts it, such as a desktop client: requests on stdin, responses on stdout.
import { createServer } from "@lethe/server";
import { serveStdio } from "@lethe/server/node";
import { isMain } from "./serve-when-main.ts";

export const server = createServer({ name: "stdio", version: "1.0.0" });

server.tool("greet", {
  description: "Say hello",
  handler() {
    console.log("This line goes to stderr: stdout belongs to the protocol.");
    return "Hello from stdio";
  },
});

if (isMain(import.meta.url)) await serveStdio(server);
