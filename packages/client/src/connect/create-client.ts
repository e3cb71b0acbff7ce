// Creates a client over an existing connection.
import type { Connection } from "../call/connection.ts";
import { Client } from "./client.ts";
import type { ClientOptions } from "./client-options.ts";
import { createParts } from "./client-parts.ts";

/** Creates a client that owns `connection` and closes it. `serverName` names the server in errors and dialogs. */
export function createClient<Target = unknown>(
  connection: Connection,
  serverName: string,
  options: ClientOptions = {},
): Client<Target> {
  return new Client<Target>(createParts(connection, { serverName }, options));
}
