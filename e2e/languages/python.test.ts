// Servers and clients in Python: the official SDK and FastMCP, each in its newest release.
import { fileURLToPath } from "node:url";
import { installPython, newestFastmcp, newestMcp } from "../programs/python.ts";
import { describePeer } from "./testing/describe-peer.ts";

const [mcp, fastmcp] = await Promise.all([installPython(newestMcp), installPython(newestFastmcp)]);
const script = (name: string) => fileURLToPath(new URL(`python/${name}.py`, import.meta.url));

describePeer({
  name: `the Python SDK, ${newestMcp[0]}`,
  reason: mcp.reason,
  server: () => ({ command: mcp.python ?? "", args: [script("mcp_server")] }),
  client: (url, mode) => ({ command: mcp.python ?? "", args: [script("mcp_client"), url, mode] }),
});

describePeer({
  name: `FastMCP, ${newestFastmcp[0]}`,
  reason: fastmcp.reason,
  server: () => ({ command: fastmcp.python ?? "", args: [script("fastmcp_server")] }),
  client: (url, mode) => ({ command: fastmcp.python ?? "", args: [script("fastmcp_client"), url, mode] }),
  asksInLegacyOnly: true,
});
