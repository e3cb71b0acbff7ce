// A server made from fastmcp (npm) over Streamable HTTP; with the argument "stateless", without sessions.
import { FastMCP } from "fastmcp";

const server = new FastMCP({ name: "fastmcp-fixture", version: "1.0.0" });
server.addTool({ name: "echo", description: "echoes", execute: async () => "hello" });
await server.start({
  transportType: "httpStream",
  httpStream: { host: "127.0.0.1", port: Number(process.env.PORT), stateless: process.argv[2] === "stateless" },
});
