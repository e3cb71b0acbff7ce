// Middleware wraps every request of every transport: built-in middleware, and your own in a few lines.
import type { Middleware } from "@lethe/server";
import { createServer } from "@lethe/server";
import { accessLog, rateLimit, timeout } from "@lethe/server/middleware";
import { serveWhenMain } from "./serve-when-main.ts";

export const lines: object[] = [];

/** Adds the duration of a request to the metadata of its result. */
const timed: Middleware = (next) => async (request, exchange) => {
  const startedAt = performance.now();
  const result = await next(request, exchange);
  const ms = Math.round(performance.now() - startedAt);
  return { ...result, _meta: { ...result._meta, "example.com/ms": ms } };
};

export const server = createServer({ name: "middleware", version: "1.0.0" })
  // The first middleware is the outermost: it sees the results of all others.
  .use(accessLog({ write: (line) => void lines.push(line) }))
  .use(rateLimit({ perCaller: 5, windowMs: 60_000 }))
  .use(timeout(1_000))
  .use(timed);

server.tool("now", {
  description: "The time",
  handler: () => new Date().toISOString(),
});

await serveWhenMain(server, import.meta.url);
