// Contender: the gateway in front of one stdio server. Arguments: the port, then the server's command. With CALLERS=N it
// accepts the keys of N callers, each with a separate session with the server.

import { createKeyAuthenticator } from "@lethe/server/auth";
import { serve } from "@lethe/server/node";
import { createGateway } from "lethe/gateway";
import { callerKey } from "./gateways.ts";

const [port, command = "", ...args] = process.argv.slice(2);
const { CALLERS = "0", ASKS = "0" } = process.env;
const keys = Array.from({ length: Number(CALLERS) }, (_, index) => ({ id: `caller ${index}`, key: callerKey(index) }));
const authenticator = keys.length > 0 ? createKeyAuthenticator(keys) : undefined;
const gateway = createGateway({ upstreams: [{ kind: "stdio", name: "upstream", command, args, env: { ASKS } }] });
await gateway.settled;
const servable = gateway.servableAt("/mcp/upstream");
if (!servable) throw new Error("the gateway does not serve its upstream");
await serve({ ...servable, authenticator }, { port: Number(port) });
