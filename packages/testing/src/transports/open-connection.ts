// Opens a connection of any revision over any transport that has it.
import { connectMemory } from "@lethe/client/edge";
import { tapDispatch } from "../wire/tap.ts";
import { type ConnectionRequest, modern, type OpenedConnection } from "./connection-request.ts";
import { openFetch, openHttp } from "./open-http.ts";
import { openStdio } from "./open-stdio.ts";
import { isProgram, type TestProgram, type TestServer, transportsOf } from "./test-target.ts";

/** Rejects with an Error for a combination that does not exist, and else with the errors of `connect`. */
export async function openConnection(
  target: TestServer | TestProgram,
  request: ConnectionRequest,
): Promise<OpenedConnection> {
  const { revision, transport, caller } = request;
  if (!transportsOf(revision).includes(transport)) {
    const known = transportsOf(revision).join(", ");
    throw new Error(`transport: expected one of ${known} for ${revision}, got ${transport}`);
  }
  if (transport === "stdio") {
    if (caller) throw new Error("caller: stdio has one user without an identity; use another transport");
    return requireRevision(await openStdio(target, request), request);
  }
  if (isProgram(target)) throw new Error(`transport: a program is reached over stdio, got ${transport}`);
  if (revision !== modern && !target.legacy) {
    throw new Error(`revision: the server does not serve ${revision} (option legacy of createServer)`);
  }
  if (transport !== "memory") return requireRevision(await openHttp(target, request), request);
  if (revision !== modern) return requireRevision(await openFetch(target, request), request);
  return await openMemory(target, request);
}

async function openMemory(server: TestServer, request: ConnectionRequest): Promise<OpenedConnection> {
  const { caller, clientInfo, capabilities, timeoutMs, log } = request;
  const serve = tapDispatch(server.dispatch, log);
  const options = { clientInfo, capabilities, timeoutMs, ...(caller && { caller }) };
  const connection = await connectMemory(server.info?.name ?? "the server", serve, options);
  return { connection, release: async () => {} };
}

/** A server that does not serve the offered revision answers with another one. */
async function requireRevision(opened: OpenedConnection, { revision }: ConnectionRequest): Promise<OpenedConnection> {
  const { connection, release } = opened;
  if (connection.revision === revision) return opened;
  await connection.close();
  await release();
  throw new Error(`revision: the server does not serve ${revision}, it answered with ${connection.revision}`);
}
