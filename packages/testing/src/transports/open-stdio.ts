// Connects over stdio: to a child process, or to the stdio edge of a server in this process.
import { type Connection, TransportError } from "@lethe/client";
import { connectLegacy, type MessageWire } from "@lethe/client/edge";
import type { ProcessExit, ServerProcess } from "@lethe/client/node";
import { tapWire } from "../wire/tap.ts";
import { type ConnectionRequest, modern, type OpenedConnection } from "./connection-request.ts";
import { isProgram, type TestProgram, type TestServer, toCommand } from "./test-target.ts";

/** Rejects with TransportError if a program does not start. */
export async function openStdio(
  target: TestServer | TestProgram,
  request: ConnectionRequest,
): Promise<OpenedConnection> {
  const { createStdioWire, spawnServer } = await import("@lethe/client/node");
  const server = isProgram(target) ? await spawnServer(toCommand(target)) : await serveHere(target);
  const wire = createStdioWire(server);
  try {
    return { connection: await connectOver(tapWire(wire, request.log), request), release: async () => {} };
  } catch (error) {
    await wire.close();
    throw withStderr(error, server);
  }
}

async function connectOver(wire: MessageWire, request: ConnectionRequest): Promise<Connection> {
  const { revision, clientInfo, capabilities, timeoutMs } = request;
  const options = { clientInfo, capabilities, timeoutMs };
  if (revision !== modern) return await connectLegacy(wire, { ...options, offeredRevision: revision });
  const { connectModern } = await import("@lethe/client/node");
  return await connectModern(wire, options);
}

/** The stdio edge over two streams in this process, in the shape of a process. The server itself stays open. */
async function serveHere({ dispatch, info, legacy }: TestServer): Promise<ServerProcess> {
  const [{ PassThrough }, { serveStdio }] = await Promise.all([import("node:stream"), import("@lethe/server/node")]);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const servable = { dispatch, legacy, ...(info && { info }) };
  const served = serveStdio(servable, { input, output, graceMs: closeGraceMs });
  const exited = served.then((): ProcessExit => {
    output.end();
    return { code: 0, signal: null };
  });
  return {
    pid: process.pid,
    name: info?.name ?? "the server",
    stdin: input,
    stdout: output,
    exited,
    stderrTail: () => "",
    stop() {
      input.end();
      return exited;
    },
  };
}

/** Time for running calls after the client has left, in ms. */
const closeGraceMs = 1_000;

/** A program that fails at its start says why on stderr. */
function withStderr(error: unknown, server: ServerProcess): unknown {
  const stderr = server.stderrTail().trim();
  if (stderr === "" || !(error instanceof TransportError) || error.message.includes(stderr)) return error;
  return new TransportError(error.reason, `${error.message}; it wrote: ${stderr.slice(-2_000)}`, { cause: error });
}
