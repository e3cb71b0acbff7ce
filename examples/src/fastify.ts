// A server as one route of a Fastify application.
import { createServer } from "@lethe/server";
import { createNodeHandler } from "@lethe/server/node";
import fastify from "fastify";
import { isMain, port } from "./serve-when-main.ts";

export const server = createServer({ name: "fastify", version: "1.0.0" });

server.tool("greet", { description: "Say hello", handler: () => "Hello from Fastify" });

export const app = fastify();
const handle = createNodeHandler(server);
app.all("/mcp", (request, reply) => {
  reply.hijack();
  handle(request.raw, reply.raw, request.body);
});

if (isMain(import.meta.url)) console.log(`Listening on ${await app.listen({ port })}/mcp`);
