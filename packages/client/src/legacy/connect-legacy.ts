// Connects to a server that begins with `initialize`: one session, behind the core contract.
import { checkOptions } from "@lethe/protocol";
import type { Connection } from "../call/connection.ts";
import type { MessageWire } from "../call/message-wire.ts";
import { createRequester } from "../call/requester.ts";
import { knownLegacyOptions, LegacyConnection, type LegacyOptions } from "./legacy-connection.ts";
import { ServerMessages } from "./server-messages.ts";
import { Session } from "./session.ts";

/**
 * Connects over a stream of messages to a server that begins with `initialize`. Takes ownership of the wire, and closes it with the
 * connection. When this rejects, the wire belongs to the caller again. The log level of the session is the most verbose that a request
 * asked for. Rejects with McpError or TransportError, also if the server does not answer within 60 s (`initializeTimeoutMs`).
 *
 * @example
 * import { connectLegacy } from "@lethe/client/edge";
 * import { createStdioWire, spawnServer } from "@lethe/client/node";
 *
 * const program = `
 *   import { createServer } from "@lethe/server";
 *   import { serveStdio } from "@lethe/server/node";
 *   await serveStdio(createServer({ name: "hello", version: "1.0.0" }));
 * `;
 * const target = { command: process.execPath, args: ["--input-type=module", "--eval", program] };
 *
 * const wire = createStdioWire(await spawnServer(target));
 * const connection = await connectLegacy(wire, { clientInfo: { name: "gateway", version: "1.0.0" } });
 * console.log(connection.era, connection.revision); // legacy 2025-11-25
 * await connection.close();
 */
export async function connectLegacy(wire: MessageWire, options: LegacyOptions): Promise<Connection> {
  checkOptions("connectLegacy", options, knownLegacyOptions);
  const requester = createRequester(wire, options);
  void wire.closed.then(requester.end);
  const messages = new ServerMessages(requester, options);
  wire.onMessage = (message, origin) => messages.receive(message, origin);
  const session = await Session.begin(wire, requester, options);
  return new LegacyConnection({ wire, requester, messages, session }, options);
}
