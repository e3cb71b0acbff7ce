// Runs a gateway as a separate process on a free port, in front of the upstream server.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { type GatewayContender, gatewayServer } from "../gateways.ts";
import { openSocket } from "../load/socket.ts";
import { type Child, type HttpChild, startChild } from "./child.ts";
import { heapBytesOf, toControlled } from "./controlled-child.ts";
import type { Cores } from "./cores.ts";

export interface ControlledGateway extends HttpChild {
  /** Bytes in use after a garbage collection. */
  heapBytes(): Promise<number>;
}

const startLimitMs = 20_000;

/** Resolves when the gateway listens. `stop` first ends it gracefully. */
export function startGateway(gateway: GatewayContender, cores: Cores): Promise<HttpChild> {
  return start((port) => gateway.command(port, serverOn(cores)), cores, {});
}

/** The same, with `heapBytes`, which requires additional Node flags. */
export async function startControlledGateway(
  gateway: GatewayContender,
  cores: Cores,
  env: Readonly<Record<string, string>>,
): Promise<ControlledGateway> {
  const child = await start((port) => toControlled(gateway.command(port, serverOn(cores))), cores, env);
  return { ...child, heapBytes: () => heapBytesOf(child) };
}

/** The gateway gets its own core, as on a machine with more cores. */
function serverOn({ eitherPrefix }: Cores): readonly string[] {
  return [...eitherPrefix, ...gatewayServer];
}

/** Starts any command that listens on this port, on the cores of `prefix`. */
export function startGatewayCommand(
  toCommand: (port: number) => readonly string[],
  cores: Pick<Cores, "prefix">,
  env: Readonly<Record<string, string>> = {},
): Promise<HttpChild> {
  return start(toCommand, cores, env);
}

async function start(
  toCommand: (port: number) => readonly string[],
  { prefix }: Pick<Cores, "prefix">,
  env: Readonly<Record<string, string>>,
): Promise<HttpChild> {
  const port = await freePort();
  const child = startChild([...prefix, ...toCommand(port)], { TOOLS: "1", ...env });
  try {
    await untilListening(port, child);
  } catch (error) {
    await end(child);
    throw error;
  }
  return { ...child, port, stop: () => end(child) };
}

/** Stops gracefully first, because a killed gateway leaves its server running. */
async function end(child: Child): Promise<void> {
  child.process.kill("SIGTERM");
  await Promise.race([child.died.catch(() => {}), wait(3_000)]);
  await child.stop();
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function untilListening(port: number, child: Child): Promise<void> {
  const deadline = performance.now() + startLimitMs;
  for (;;) {
    const socket = await Promise.race([openSocket(port).catch(() => undefined), child.died]);
    if (socket) return void socket.destroy();
    if (performance.now() > deadline) throw new Error(`did not listen within ${startLimitMs} ms`);
    await wait(50);
  }
}
