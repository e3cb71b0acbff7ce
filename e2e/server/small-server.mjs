// A server with one tool. Serves it over HTTP and prints its URL, or over stdio with the argument "stdio".
import { createServer } from "@lethe/server";
import { serve, serveStdio } from "@lethe/server/node";

const inputSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const server = createServer({ name: "small", version: "1.0.0" });
server.tool("greet", { inputSchema, handler: ({ name }) => `Hello, ${name}!` });

if (process.argv[2] === "stdio") await serveStdio(server);
else console.log((await serve(server, { port: 0 })).url);
