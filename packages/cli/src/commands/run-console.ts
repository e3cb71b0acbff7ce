// Runs `lethe console`: finds out what the server offers, and serves the console until it is stopped.
import { once } from "node:events";
import { type ConsoleSettings, serveConsole } from "@lethe/console";
import { CommandError, exitCode } from "../exit-code.ts";
import { createStyle } from "../terminal/style.ts";
import type { ConsoleCommandOptions } from "./console.ts";
import { requireServerUrl } from "./server-url.ts";
import { untilInterrupted } from "./until-interrupted.ts";

const adminPath = "/admin/v1";
const timeoutMs = 10_000;

/** Runs until a signal. Rejects with CommandError. */
export async function runConsole(address: string, { port, header = {} }: ConsoleCommandOptions): Promise<void> {
  requireServerUrl(address);
  const gateway = new URL(address);
  const headers = Object.fromEntries(Object.entries(header).map(([name, value]) => [name.toLowerCase(), value]));
  const settings = await findSettings(gateway, headers);
  const served = await serveConsole({
    gateway,
    settings,
    headers,
    ...(port !== undefined && { port: toPort(port) }),
  }).catch(({ message }: Error) => {
    throw new CommandError(message);
  });
  const what = settings.admin === undefined ? "Playground" : "Console";
  process.stdout.write(`${createStyle(process.stdout).bold(`${what} at ${served.url}`)}\n`);
  try {
    await untilInterrupted((signal) => once(signal, "abort"));
  } finally {
    await served.close();
  }
}

/** A gateway without a path in its address has its MCP endpoint at /mcp. */
async function findSettings(gateway: URL, headers: Record<string, string>): Promise<ConsoleSettings> {
  const mcp = gateway.pathname === "/" ? "/mcp" : gateway.pathname.replace(/\/$/, "");
  let status: number;
  try {
    const overview = new URL(`${adminPath}/overview`, gateway);
    ({ status } = await fetch(overview, { headers, signal: AbortSignal.timeout(timeoutMs) }));
  } catch (error) {
    const { cause, message } = error as Error;
    throw new CommandError(
      `${gateway.origin} cannot be reached: ${(cause as Error | undefined)?.message ?? message}`,
      exitCode.unreachable,
    );
  }
  // 401 and 403 are answers of an administration that this command may not read.
  const hasAdmin = status === 200 || status === 401 || status === 403;
  return { name: gateway.host, mcp, ...(hasAdmin && { admin: adminPath }) };
}

function toPort(word: string): number {
  const port = Number(word);
  if (/^\d{1,5}$/.test(word) && port <= 65_535) return port;
  throw new CommandError(`--port: a number from 0 to 65535 expected, got "${word}"`);
}
