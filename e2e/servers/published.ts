// Published servers and bridges, started as their users start them, from the exact versions of package.json.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const { resolve } = createRequire(import.meta.url);

export interface Program {
  command: string;
  args: string[];
}

/** The program of a package, run by this Node. */
export function program(name: string, file: string, ...args: string[]): Program {
  const folder = resolve(`${name}/package.json`).replace(/package\.json$/, "");
  return { command: process.execPath, args: [folder + file, ...args] };
}

const everything = (transport: string) =>
  program("@modelcontextprotocol/server-everything", "dist/index.js", transport);

/** On stdio. */
export const stdioServers = {
  everything: everything("stdio"),
  everything2025: program("@modelcontextprotocol/server-everything-2025", "dist/index.js"),
  filesystem: program("@modelcontextprotocol/server-filesystem", "dist/index.js", "."),
  memory: program("@modelcontextprotocol/server-memory", "dist/index.js"),
  thinking: program("@modelcontextprotocol/server-sequential-thinking", "dist/index.js"),
  context7: program("@upstash/context7-mcp", "dist/index.js"),
  playwright: program("@playwright/mcp", "cli.js", "--headless"),
} satisfies Record<string, Program>;

const supergateway = (...args: string[]) =>
  program("supergateway", "dist/index.js", "--logLevel", "none", "--stdio", shellWords(stdioServers.thinking), ...args);
const proxy = (...args: string[]) => {
  const { command, args: child } = stdioServers.thinking;
  return program("mcp-proxy", "dist/bin/mcp-proxy.mjs", "--host", "127.0.0.1", ...args, "--", command, ...child);
};

const fastmcp = (...args: string[]): Program => ({
  command: process.execPath,
  args: [fileURLToPath(new URL("./fastmcp.mjs", import.meta.url)), ...args],
});

/** Over HTTP. Each gets its port as an argument. */
export const httpServers = {
  everything: { program: () => everything("streamableHttp"), path: "/mcp" },
  everythingSse: { program: () => everything("sse"), path: "/sse" },
  everything2025Sse: {
    program: () => program("@modelcontextprotocol/server-everything-2025", "dist/sse.js"),
    path: "/sse",
  },
  fastmcp: { program: () => fastmcp(), path: "/mcp" },
  fastmcpStateless: { program: () => fastmcp("stateless"), path: "/mcp" },
  fastmcpSse: { program: () => fastmcp(), path: "/sse" },
  context7: {
    program: (port: number) =>
      program("@upstash/context7-mcp", "dist/index.js", "--transport", "http", "--port", String(port)),
    path: "/mcp",
  },
  playwright: {
    program: (port: number) => program("@playwright/mcp", "cli.js", "--headless", "--port", String(port)),
    path: "/mcp",
    // It compares Host with the name that it prints.
    host: "localhost",
  },
  supergateway: {
    program: (port: number) => supergateway("--outputTransport", "streamableHttp", "--port", String(port)),
    path: "/mcp",
  },
  supergatewayStateful: {
    program: (port: number) =>
      supergateway("--outputTransport", "streamableHttp", "--stateful", "--port", String(port)),
    path: "/mcp",
  },
  supergatewaySse: {
    program: (port: number) => supergateway("--outputTransport", "sse", "--port", String(port)),
    path: "/sse",
  },
  proxy: { program: (port: number) => proxy("--port", String(port)), path: "/mcp" },
  proxySse: { program: (port: number) => proxy("--server", "sse", "--port", String(port)), path: "/sse" },
  proxyLegacy: { program: (port: number) => proxy("--no-modern", "--port", String(port)), path: "/mcp" },
  proxyStateless: { program: (port: number) => proxy("--stateless", "--port", String(port)), path: "/mcp" },
} satisfies Record<string, PublishedServer>;

export interface PublishedServer {
  program(port: number): Program;
  path: string;
  host?: string;
}

export interface RunningServer {
  url: string;
  pid: number;
  output(): string;
  stop(): Promise<void>;
  /** Crashes the server, and waits until its port is free. */
  kill(): Promise<void>;
}

/** Uses a free port by default. Resolves when the server listens. Rejects with its output if it ends before. */
export async function startPublished(
  { program, path, host = "127.0.0.1" }: PublishedServer,
  given?: number,
): Promise<RunningServer> {
  const port = given ?? (await freePort());
  const { command, args } = program(port);
  const child = spawn(command, args, {
    // The other port is for context7's metrics: with its default, only one instance could run.
    env: { ...process.env, PORT: String(port), OTEL_EXPORTER_PROMETHEUS_PORT: String(await freePort()) },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-100_000);
    });
  }
  await untilListening(port, child, () => output);
  return {
    url: `http://${host}:${port}${path}`,
    pid: child.pid as number,
    output: () => output,
    stop: () => stop(child),
    kill: () => stop(child, ["SIGKILL"]),
  };
}

async function untilListening(port: number, child: ChildProcess, output: () => string): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode} before it listened:\n${output()}`);
    if (await isOpen(port)) return;
    await sleep(25);
  }
  await stop(child);
  throw new Error(`it did not listen within 20 s:\n${output()}`);
}

async function isOpen(port: number): Promise<boolean> {
  for (const host of ["127.0.0.1", "::1"]) {
    const socket = connect(port, host);
    const isOpen = await new Promise<boolean>((done) => {
      socket.once("connect", () => done(true)).once("error", () => done(false));
    });
    socket.destroy();
    if (isOpen) return true;
  }
  return false;
}

/** The whole group: bridges have children. */
async function stop(child: ChildProcess, signals: readonly NodeJS.Signals[] = ["SIGTERM", "SIGKILL"]): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  const closed = child.exitCode === null && child.signalCode === null ? once(child, "exit") : Promise.resolve();
  for (const signal of signals) {
    try {
      process.kill(-pid, signal);
    } catch {
      break;
    }
    await Promise.race([closed, sleep(1_000, undefined, { ref: false })]);
  }
  await closed;
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });
}

/** For programs that take a whole command as one argument. */
function shellWords({ command, args }: Program): string {
  return [command, ...args].map((word) => JSON.stringify(word)).join(" ");
}
