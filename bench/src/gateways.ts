// Gateways that are measured in front of one and the same server: the official SDK v1 on stdio, with one tool.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { Wire } from "./load/wire.ts";

export interface GatewayContender {
  name: string;
  wire: Wire;
  /** Requests belong to a session, which `initialize` begins. */
  hasSession: boolean;
  /** A command that serves `/mcp` on this port of 127.0.0.1 in front of the server, a command as well. */
  command(port: number, server: readonly string[]): readonly string[];
}

/** The server without a gateway: the load writes to its stdin. */
export const directName = "direct";

const { resolve } = createRequire(import.meta.url);

export const gateways: readonly GatewayContender[] = [
  {
    name: "lethe gateway",
    wire: "modern",
    hasSession: false,
    command: (port, server) => [process.execPath, ownScript("gateway.js"), String(port), ...server],
  },
  {
    name: "mcp-proxy",
    wire: "legacy",
    hasSession: true,
    command: (port, server) => [
      ...[process.execPath, publishedScript("mcp-proxy", "dist/bin/mcp-proxy.mjs")],
      ...["--host", "127.0.0.1", "--port", String(port), "--server", "stream", "--", ...server],
    ],
  },
  {
    name: "mcp-proxy modern",
    wire: "modern",
    hasSession: false,
    command: (port, server) => [
      ...[process.execPath, publishedScript("mcp-proxy", "dist/bin/mcp-proxy.mjs")],
      ...["--host", "127.0.0.1", "--port", String(port), "--server", "stream", "--", ...server],
    ],
  },
  {
    name: "supergateway",
    wire: "legacy",
    hasSession: true,
    command: (port, server) => [
      ...[process.execPath, publishedScript("supergateway", "dist/index.js"), "--stdio", server.join(" ")],
      ...["--outputTransport", "streamableHttp", "--stateful", "--port", String(port), "--logLevel", "none"],
    ],
  },
];

function ownScript(file: string): string {
  return fileURLToPath(new URL(`../dist/${file}`, import.meta.url));
}

function publishedScript(name: string, file: string): string {
  return resolve(`${name}/package.json`).replace(/package\.json$/, file);
}
