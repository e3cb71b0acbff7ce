// The process under attack: a server, a gateway in front of one, or a recorder in front of one. It reports its port and its health
// to the fuzzer that started it, and ends with it.
import { fileURLToPath } from "node:url";
import { serve, serveStdio } from "@lethe/server/node";
import { recordTraffic, toHar, toReport, toText } from "lethe/compare";
import { serveGateway } from "lethe/gateway";
import { createFuzzServer } from "./fixture/create-fuzz-server.ts";
import { createErrorTrap } from "./fixture/error-trap.ts";
import { goodKey, hostileKey } from "./fixture/keys.ts";
import { createHealthMonitor, type Health } from "./run/health.ts";

export type SubjectKind = "server" | "gateway" | "recorder" | "upstream";

export interface SubjectMessage {
  readonly port?: number;
  readonly health?: Health;
  readonly error?: string;
}

const kind = process.argv[2] as SubjectKind;
const monitor = createHealthMonitor();
const trap = createErrorTrap();
const { onError } = trap;
let betweenRounds: () => Promise<void> = async () => {};
const port = await start();
if (port !== undefined) {
  process.on("message", () => void tell());
  process.on("disconnect", () => process.exit());
  process.send?.({ port } satisfies SubjectMessage);
}

async function tell(): Promise<void> {
  try {
    await betweenRounds();
    const health = await monitor.read();
    const error = trap.take();
    process.send?.((error === undefined ? { health } : { health, error }) satisfies SubjectMessage);
  } catch (error) {
    process.send?.({ error: (error as Error).stack ?? String(error) } satisfies SubjectMessage);
  }
}

/** Undefined for a process on stdio. */
async function start(): Promise<number | undefined> {
  switch (kind) {
    case "server":
      return startServer();
    case "gateway":
      return startGateway();
    case "recorder":
      return startRecorder();
    case "upstream":
      await serveStdio(createFuzzServer({ onError: console.error }));
      process.exit();
  }
}

async function startServer(): Promise<number> {
  const server = createFuzzServer({ onError });
  const { port } = await serve(server, {
    port: 0,
    bodyTimeoutMs: 1_000,
    requestTimeoutMs: 2_000,
    keepAliveMs: 500,
    maxStreams: 200,
    onError,
  });
  return port;
}

async function startGateway(): Promise<number> {
  const script = fileURLToPath(import.meta.url);
  const keys = [
    { id: "hostile", key: hostileKey, scopes: [] },
    { id: "good", key: goodKey, scopes: [] },
  ];
  const upstreams = [
    { kind: "stdio" as const, name: "fuzz", command: process.execPath, args: [script, "upstream"], env: {} },
  ];
  const served = await serveGateway({
    load: async () => ({
      config: { upstreams, settings: { auth: { keys }, probe: false } },
      notes: [],
      files: [],
      secrets: [],
    }),
    settings: { port: 0 },
    watches: false,
    logsRequests: false,
    log: ({ level, message }) => void (level === "error" && onError(message)),
  });
  await served.settled;
  return Number(new URL(served.url).port);
}

async function startRecorder(): Promise<number> {
  const to = new URL(`http://127.0.0.1:${await startServer()}/mcp`);
  let traffic = await recordTraffic(to, { port: 0 });
  const port = Number(new URL(traffic.url).port);
  // A recording grows by design, so each measurement finishes it. Its archive must accept any recorded traffic.
  betweenRounds = async () => {
    const comparison = await traffic.finish();
    for (const recording of comparison.recordings) toHar(recording);
    toText(toReport(comparison));
    traffic = await recordTraffic(to, { port });
  };
  return port;
}
