// lethe bridge URL: serves a remote server over stdio, for clients that support only stdio.
import { Command } from "commander";
import { exitCodeHelp } from "../exit-code.ts";
import { collectHeader } from "./headers.ts";
import type { LoginOptions } from "./login.ts";
import { parseRedirectPort } from "./redirect-port.ts";

export function createBridgeCommand(): Command {
  return new Command("bridge")
    .description("serve a remote server over stdio, for clients that support only stdio")
    .argument("<url>", "the URL of the server, of any revision")
    .option("--header <name: value>", "sent with every request; may be given again", collectHeader)
    .option("--login", "log in with a browser when the server asks for it; tokens are kept for the next time")
    .option("--client-id <id>", "for --login, where clients are registered in advance")
    .option("--redirect-port <port>", "for --login, where the redirect URL is registered in advance", parseRedirectPort)
    .addHelpText(
      "after",
      `
Example, in the file of a desktop client:
  "docs": { "command": "npx", "args": ["lethe", "bridge", "https://docs.example.com/mcp"] }

Environment:
  LETHE_TOKEN          sent as bearer token
  LETHE_CLIENT_SECRET  the secret of --client-id
${exitCodeHelp("unreachable")}`,
    )
    .action(async (url: string, options: LoginOptions) => {
      const { runBridge } = await import("./run-bridge.ts");
      await runBridge(url, options);
    });
}
