// Connects to a server of revision 2026-07-28 over a message wire. `connectStdio` also detects older revisions, and starts the process.
import {
  type ClientCapabilities,
  checkOptions,
  type Implementation,
  type KnownOptions,
  modelRevision,
} from "@lethe/protocol";
import { revisionNamed } from "@lethe/protocol/revisions";
import type { Connection } from "../call/connection.ts";
import type { TimeLimits } from "../call/deadline.ts";
import type { MessageWire } from "../call/message-wire.ts";
import type { RequesterOptions } from "../call/requester.ts";
import { isTransportError } from "../call/transport-error.ts";
import { decideStdio, refuseLegacy } from "../era/decide.ts";
import { exchangeFirst } from "./first-exchange.ts";
import { createModernStdio } from "./modern-stdio.ts";

/** Options of `connectModern`. */
export interface ConnectModernOptions extends RequesterOptions, Partial<TimeLimits> {
  /** The identity of the client. Default: the name and version of this package. */
  clientInfo?: Implementation;
  /** The capabilities of the client. Default none. */
  capabilities?: ClientCapabilities;
  /** Time limit for the first response, in ms. Default 60 000. */
  startTimeoutMs?: number;
}

const knownConnectModernOptions: KnownOptions<ConnectModernOptions> = {
  clientInfo: true,
  capabilities: true,
  startTimeoutMs: true,
  timeoutMs: true,
  maxTotalMs: true,
  maxOpenRequests: true,
};

/**
 * Connects over a stream of messages to a server of revision 2026-07-28. Takes ownership of the wire, and closes it with the connection.
 * When this rejects, the wire belongs to the caller again. Rejects with McpError if the server refuses, and with TransportError if it
 * speaks only older revisions or does not answer within 60 s (`startTimeoutMs`). `connectLegacy` of `@lethe/client/edge` is for older
 * revisions.
 *
 * @example
 * import { connectModern, createStdioWire, spawnServer } from "@lethe/client/node";
 *
 * const program = `
 *   import { createServer } from "@lethe/server";
 *   import { serveStdio } from "@lethe/server/node";
 *   await serveStdio(createServer({ name: "hello", version: "1.0.0" }));
 * `;
 * const target = { command: process.execPath, args: ["--input-type=module", "--eval", program] };
 *
 * const wire = createStdioWire(await spawnServer(target));
 * const connection = await connectModern(wire);
 * console.log(connection.revision); // 2026-07-28
 * await connection.close();
 */
export async function connectModern(wire: MessageWire, options: ConnectModernOptions = {}): Promise<Connection> {
  checkOptions("connectModern", options, knownConnectModernOptions);
  const { clientInfo, capabilities, startTimeoutMs = 60_000 } = options;
  const initialize = () => Promise.reject(new Error("not used: only server/discover is sent"));
  const first = await exchangeFirst(wire, { clientInfo, capabilities, startTimeoutMs, initialize });
  if (first.kind !== "asked") throw refuseLegacy(wire.peer, "it did not answer server/discover");
  const { outcome } = first;
  // Silence does not prove an older revision.
  if ("error" in outcome && isTransportError(outcome.error)) throw outcome.error;
  const decision = decideStdio(wire.peer, outcome);
  if (decision.kind === "legacy") throw refuseLegacy(wire.peer, decision.because);
  if (decision.kind === "failed") throw decision.error;
  return toModernConnection(wire, decision, options);
}

/** `revision` is the one that both sides speak, and `server` the description of the server. */
export function toModernConnection(
  wire: MessageWire,
  { revision, server }: Pick<Connection, "revision" | "server">,
  options: RequesterOptions & Partial<TimeLimits>,
): Connection {
  const spoken = revisionNamed(revision);
  const { dispatch, close } = createModernStdio(wire, {
    ...options,
    ...(revision !== modelRevision && { revision: spoken }),
  });
  const closed = wire.closed.then(({ message }) => ({ reason: message }));
  return { dispatch, era: "modern", revision, traits: spoken.traits, server, closed, close };
}
