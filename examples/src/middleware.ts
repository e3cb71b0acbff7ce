// Middleware wraps every request, whatever edge it came from: ready-made ones, and your own in a few lines.
import type { Middleware } from "@lethe/server";
import { createServer } from "@lethe/server";
import { accessLog, rateLimit, timeout } from "@lethe/server/middleware";
import { serveWhenMain } from "./serve-when-main.ts";

export const lines: object[] = [];

/** Adds how long a request took to the metadata of its result. */
const timed: Middleware = (next) => async (request, exchange) => {
  const startedAt = performance.now();
  const result = await next(request, exchange);
  const ms = Math.round(performance.now() - startedAt);
  return { ...result, _meta: { ...result._meta, "example.com/ms": ms } };
};

export const server = createServer({ name: "middleware", version: "1.0.0" })
  // The first is the outermost: it sees what all others made of a request.
  .use(accessLog({ write: (line) => void lines.push(line) }))
  .use(rateLimit({ perCaller: 5, windowMs: 60_000 }))
  .use(timeout(1_000))
  .use(timed);

server.tool("now", {
  description: "The time",
  handler: () => new Date().toISOString(),
});

await serveWhenMain(server, import.meta.url);
