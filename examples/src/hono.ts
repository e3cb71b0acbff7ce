// A server as one route of a Hono application. The same code runs on Deno, Bun and Workers.
import { serve } from "@hono/node-server";
import { createServer } from "@lethe/server";
import { Hono } from "hono";
import { isMain, port } from "./serve-when-main.ts";

export const server = createServer({ name: "hono", version: "1.0.0" });

server.tool("greet", { description: "Say hello", handler: () => "Hello from Hono" });

export const app = new Hono().all("/mcp", (context) => server.fetch(context.req.raw));

if (isMain(import.meta.url)) {
  serve({ fetch: app.fetch, port, hostname: "127.0.0.1" }, () =>
    console.log(`Listening on http://127.0.0.1:${port}/mcp`),
  );
}
