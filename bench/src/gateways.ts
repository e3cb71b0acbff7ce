// The measured gateways. All of them serve the same upstream: the official SDK v1 on stdio, with one tool.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { Wire } from "./load/wire.ts";

export interface GatewayContender {
  name: string;
  wire: Wire;
  /** True for the gateways of this project. The report compares them with the others. */
  isOurs?: boolean;
  /** Requests belong to a session that `initialize` opens. */
  hasSession: boolean;
  /** With CALLERS=N in its environment, it authenticates N callers by their keys. */
  knowsCallers?: boolean;
  /** A command that serves `/mcp` on this port of 127.0.0.1 in front of the server, a command as well. */
  command(port: number, server: readonly string[]): readonly string[];
}

/** The key of the caller with this number, for gateways that authenticate callers. */
export function callerKey(index: number): string {
  return `key-of-caller-${index}`.padEnd(24, "-");
}

/** The upstream server of all gateways. */
export const gatewayServer: readonly string[] = [process.execPath, ownScript("contenders/official-v1-stdio.js")];

/** The server without a gateway: the load writes to its stdin. */
export const directName = "direct";

const { resolve } = createRequire(import.meta.url);

/** The command of this project. */
export const lethe: readonly string[] = [
  process.execPath,
  fileURLToPath(new URL("../../packages/cli/bin/lethe.js", import.meta.url)),
];

const wrapCommand: GatewayContender["command"] = (port, server) => [
  ...lethe,
  ...["wrap", "--port", String(port), "--", ...server],
];

const mcpProxyCommand: GatewayContender["command"] = (port, server) => [
  ...[process.execPath, publishedScript("mcp-proxy", "dist/bin/mcp-proxy.mjs")],
  ...["--host", "127.0.0.1", "--port", String(port), "--server", "stream", "--", ...server],
];

export const gateways: readonly GatewayContender[] = [
  {
    name: "bare relay",
    wire: "modern",
    hasSession: false,
    command: (port, server) => [process.execPath, ownScript("contenders/bare-relay.js"), String(port), ...server],
  },
  {
    name: "lethe gateway",
    isOurs: true,
    wire: "modern",
    hasSession: false,
    knowsCallers: true,
    command: (port, server) => [process.execPath, ownScript("gateway.js"), String(port), ...server],
  },
  {
    name: "lethe wrap",
    isOurs: true,
    wire: "modern",
    hasSession: false,
    command: wrapCommand,
  },
  {
    name: "lethe wrap legacy",
    isOurs: true,
    wire: "legacy",
    hasSession: true,
    command: wrapCommand,
  },
  {
    name: "mcp-proxy",
    wire: "legacy",
    hasSession: true,
    command: mcpProxyCommand,
  },
  {
    name: "mcp-proxy modern",
    wire: "modern",
    hasSession: false,
    command: mcpProxyCommand,
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
