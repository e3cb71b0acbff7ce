// Contender: the gateway in front of one stdio server. Arguments: the port, then the server's command.
import { createGateway } from "@lethe/gateway";
import { serve } from "@lethe/server/node";

const [port, command = "", ...args] = process.argv.slice(2);
const gateway = createGateway({ upstreams: [{ kind: "stdio", name: "upstream", command, args, env: {} }] });
await gateway.settled;
await serve((path) => gateway.servableAt(path === "/mcp" ? "/mcp/upstream" : path), { port: Number(port) });
