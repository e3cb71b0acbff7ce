// Creates a client over an existing connection.
import { checkOptions } from "@lethe/protocol";
import type { Connection } from "../call/connection.ts";
import { Client } from "./client.ts";
import { checkExtensions } from "./client-extension.ts";
import { type ClientOptions, knownClientOptions } from "./client-options.ts";
import { createParts } from "./client-parts.ts";

/**
 * Creates a client over an existing connection. The client owns `connection` and closes it. `serverName` names the server in errors and
 * dialogs.
 *
 * @example
 * import { connectMemory, createClient } from "@lethe/client/edge";
 * import { createServer } from "@lethe/server";
 *
 * const server = createServer({ name: "hello", version: "1.0.0" });
 * server.tool("greet", { handler: () => "Hello!" });
 *
 * const client = createClient(await connectMemory("hello", server.dispatch), "hello");
 * console.log((await client.callTool("greet")).content); // [ { type: 'text', text: 'Hello!' } ]
 * await client.close();
 */
export function createClient<Target = unknown>(
  connection: Connection,
  serverName: string,
  options: ClientOptions = {},
): Client<Target> {
  checkOptions("createClient", options, knownClientOptions);
  checkExtensions("createClient", options.extensions);
  return new Client<Target>(createParts(connection, { serverName }, options));
}
