// A resource with a fixed URI, and a resource template with completion of its variable.
import { createServer } from "@lethe/server";
import { serveWhenMain } from "./serve-when-main.ts";

const rivers = new Map([
  ["acheron", "The river of woe."],
  ["lethe", "The river of forgetting: those who drink from it remember nothing."],
  ["styx", "The river of hatred, by which the gods swear."],
]);

export const server = createServer({ name: "resources", version: "1.0.0" });

server.resource("rivers://all", {
  name: "Rivers",
  description: "The rivers of the underworld",
  mimeType: "application/json",
  // How long a client may cache the result, and whether users may share it. Default: no caching.
  cache: { ttlMs: 60_000, cacheScope: "public" },
  handler: () => JSON.stringify([...rivers.keys()]),
});

server.resourceTemplate("river://{name}", {
  name: "River",
  description: "What is known about a river",
  mimeType: "text/plain",
  complete: { name: (value) => [...rivers.keys()].filter((name) => name.startsWith(value)) },
  // Undefined means that the resource does not exist.
  handler: ({ name }) => rivers.get(name),
});

await serveWhenMain(server, import.meta.url);
