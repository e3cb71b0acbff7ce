// Resources: one with a fixed URI, and one for each URI of a template, with completion of its variable.
import { createServer } from "@lethe/server";
import { serveWhenMain } from "./serve-when-main.ts";

const rivers = new Map([
  ["acheron", "The river of woe."],
  ["lethe", "The river of forgetting: whoever drinks from it remembers nothing."],
  ["styx", "The river of hatred, by which the gods swear."],
]);

export const server = createServer({ name: "resources", version: "1.0.0" });

server.resource("rivers://all", {
  name: "Rivers",
  description: "The rivers of the underworld",
  mimeType: "application/json",
  // How long a client may keep the answer, and whether a proxy may share it between users. Default: not at all.
  cache: { ttlMs: 60_000, cacheScope: "public" },
  handler: () => JSON.stringify([...rivers.keys()]),
});

server.resourceTemplate("river://{name}", {
  name: "River",
  description: "What is known about a river",
  mimeType: "text/plain",
  complete: { name: (value) => [...rivers.keys()].filter((name) => name.startsWith(value)) },
  // Undefined says that there is no such resource.
  handler: ({ name }) => rivers.get(name),
});

await serveWhenMain(server, import.meta.url);
