// Servers and clients in Python: the official SDK and FastMCP, each in its newest release.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createServer } from "@lethe/server";
import { serve } from "@lethe/server/node";
import { expect, it } from "vitest";
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

it.skipIf(mcp.reason !== undefined)(
  "the program in Python of the guide calls a server",
  async () => {
    const guide = readFileSync(new URL("../../docs/guides/http.md", import.meta.url), "utf8");
    const [, program = ""] = /```python\n([\s\S]*?)```/.exec(guide) ?? [];
    const server = createServer({ name: "greeter", version: "1.0.0" }).tool("greet", { handler: () => "Hello!" });
    const { url, close } = await serve(server, { port: 0 });
    const { stdout } = await promisify(execFile)(mcp.python ?? "", [
      "-c",
      program.replace("http://127.0.0.1:3000/mcp", url),
    ]);
    await close();
    expect(stdout).toBe("Hello!\n");
  },
  60_000,
);
