// A server as one route of an Express application.
import { createServer } from "@lethe/server";
import { createNodeHandler } from "@lethe/server/node";
import express from "express";
import { isMain, port } from "./serve-when-main.ts";

export const server = createServer({ name: "express", version: "1.0.0" });

server.tool("greet", { description: "Say hello", handler: () => "Hello from Express" });

export const app = express();
app.all("/mcp", createNodeHandler(server));

if (isMain(import.meta.url))
  app.listen(port, "127.0.0.1", () => console.log(`Listening on http://127.0.0.1:${port}/mcp`));
