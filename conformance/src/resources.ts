// A text resource, a binary resource, and a template.
import type { Server } from "@lethe/server";
import { png } from "./media.ts";

export function defineResources(server: Server): void {
  server.resource("test://static-text", {
    name: "Static text",
    description: "A text that never changes",
    mimeType: "text/plain",
    cache: { ttlMs: 60_000, cacheScope: "public" },
    handler: () => "This is the content of the static text resource.",
  });
  server.resource("test://static-binary", {
    name: "Static binary",
    description: "An image that never changes",
    mimeType: "image/png",
    cache: { ttlMs: 60_000, cacheScope: "public" },
    handler: () => png,
  });
  server.resource("test://watched-resource", {
    name: "Watched resource",
    description: "Can be subscribed to",
    mimeType: "text/plain",
    handler: () => "This is the content of the watched resource.",
  });
  server.resourceTemplate("test://template/{id}/data", {
    name: "Template",
    description: "One resource for each id",
    mimeType: "application/json",
    complete: { id: (value) => ["1", "12", "123"].filter((id) => id.startsWith(value)) },
    handler: ({ id }) => JSON.stringify({ id, data: `Data for ID: ${id}` }),
  });
}
