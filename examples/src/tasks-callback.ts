// A tool that waits until another system calls a URL: its task waits in the store, without a process.
import { createServer, type Server, type ServerOptions } from "@lethe/server";
import { z } from "zod";

type Send = (to: string, url: string, idempotencyKey: string) => Promise<void>;

export function createDeployments(send: Send, options: ServerOptions = {}): Server {
  const callbackUrl = "https://mcp.example.com/callbacks";
  return createServer({ name: "deployments", version: "1.0.0" }, { callbackUrl, ...options }).tool("deploy", {
    description: "Deploy a version after the release service has approved it",
    inputSchema: z.object({ version: z.string() }),
    task: "always",
    async handler({ version }, ctx) {
      const approval = await ctx.callback({ schema: z.object({ approved: z.boolean() }), timeout: "7 days" });
      await ctx.once("ask", ({ idempotencyKey }) => send(version, approval.url, idempotencyKey));
      const { approved } = await approval.received();
      return approved ? `${version} was deployed.` : `${version} was not approved.`;
    },
  });
}
