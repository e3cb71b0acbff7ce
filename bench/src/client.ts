// Contender: Lethe's client over node:http, as something that greets: what a load generator of clients drives.
import { connect as connectClient } from "@lethe/client/node";

export interface Caller {
  /** Calls the greeting tool; resolves with its text. */
  call(name: string): Promise<string>;
  close(): Promise<void>;
}

export async function connect(url: string): Promise<Caller> {
  const client = await connectClient(url);
  return {
    async call(name) {
      const { content } = await client.callTool("greet", { name });
      const [block] = content;
      if (block?.type !== "text") throw new Error("a greeting expected");
      return block.text;
    },
    close: () => client.close(),
  };
}
