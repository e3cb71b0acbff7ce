// A server with one tool, at http://127.0.0.1:3000/mcp
import { createServer } from "@lethe/server";
import { serve } from "@lethe/server/node";
import { z } from "zod";

const server = createServer({ name: "first", version: "1.0.0" });
server.tool("add", {
  description: "Add two numbers",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  handler: ({ a, b }) => `${a} + ${b} = ${a + b}`,
});

const { url } = await serve(server, { port: Number(process.env.PORT ?? 3000) });
console.log(`Listening on ${url}`);
