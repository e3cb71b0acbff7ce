// Makes a client over a connection that exists already.
import type { Connection } from "../call/connection.ts";
import { Client } from "./client.ts";
import type { ClientOptions } from "./client-options.ts";
import { createParts } from "./client-parts.ts";

/** `serverName` stands for the server in errors and in questions to the user. The client closes the connection. */
export function createClient<Target = unknown>(
  connection: Connection,
  serverName: string,
  options: ClientOptions = {},
): Client<Target> {
  return new Client<Target>(createParts(connection, { serverName }, options));
}
