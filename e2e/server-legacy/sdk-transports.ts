// Connects the official SDK to the server, in this process or as its own process.
import { serve } from "@lethe/server/node";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { createTracker, serverFile } from "./tracker.ts";

export interface SdkTransports {
  streamableHttp(): Transport;
  sseAtOwnPath(): Transport;
  sseAtOrdinaryUrl(): Transport;
  stdio(): Transport;
  close(): Promise<void>;
}

export async function serveToSdk(): Promise<SdkTransports> {
  const { url, close } = await serve(createTracker(), { port: 0 });
  return {
    streamableHttp: () => new StreamableHTTPClientTransport(new URL(url)) as Transport,
    sseAtOwnPath: () => new SSEClientTransport(new URL("/sse", url)),
    sseAtOrdinaryUrl: () => new SSEClientTransport(new URL(url)),
    stdio: () => new StdioClientTransport({ command: process.execPath, args: [serverFile] }),
    close: () => close(),
  };
}
