// Subscriptions: subscribed clients receive changes of a resource and of the tool list.
import { createServer } from "@lethe/server";
import { serveWhenMain } from "./serve-when-main.ts";

let count = 0;

export const server = createServer({ name: "subscriptions", version: "1.0.0" });

server.resource("counter://value", {
  name: "Counter",
  mimeType: "text/plain",
  handler: () => String(count),
});

server.tool("increment", {
  description: "Add one to the counter",
  handler() {
    count += 1;
    server.resourceUpdated("counter://value");
    // The server announces changes of its definition automatically: here, of the tool list.
    if (count === 1) server.tool("reset", { description: "Set the counter to zero", handler: reset });
    return `The counter is at ${count}.`;
  },
});

function reset(): string {
  count = 0;
  server.resourceUpdated("counter://value");
  server.removeTool("reset");
  return "The counter is at 0.";
}

await serveWhenMain(server, import.meta.url);
