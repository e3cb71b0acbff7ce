// Contender: Lethe's client, over undici and on stdio.
import { connect as connectClient } from "@lethe/client/node";
import { type Caller, type Target, textOf } from "./clients/caller.ts";

export async function connect(target: Target): Promise<Caller> {
  const [command = "", ...args] = typeof target === "string" ? [] : target;
  const client = await connectClient(typeof target === "string" ? target : { command, args });
  return {
    call: async (name) => textOf(await client.callTool("greet", { name })),
    close: () => client.close(),
  };
}
