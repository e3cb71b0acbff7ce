// Opens a client of a published server on one of its transports, and closes both.
import type { Client, CommandTarget, ConnectOptions } from "@lethe/client";
import { connect } from "@lethe/client/node";
import { type PublishedServer, startPublished } from "../servers/published.ts";

export interface Opened {
  readonly client: Client;
  close(): Promise<void>;
}

/** A program speaks on stdin and stdout; a server over HTTP is started first. */
export async function open(server: CommandTarget | PublishedServer, options: ConnectOptions = {}): Promise<Opened> {
  if ("command" in server) {
    const client = await connect(server, options);
    return { client, close: () => client.close() };
  }
  const { url, stop } = await startPublished(server);
  const client = await connect(url, options).catch(async (error) => {
    await stop();
    throw error;
  });
  return {
    client,
    async close() {
      await client.close();
      await stop();
    },
  };
}

/** The texts of a tool's answer. */
export function textOf({ content }: Awaited<ReturnType<Client["callTool"]>>): string {
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}
