// Calls a server with the types of its definition: tools, arguments and structured content are typed.
import { connect } from "@lethe/client/node";
import { createServer } from "@lethe/server";
import { z } from "zod";

export const calculator = createServer({ name: "calculator", version: "1.0.0" })
  .tool("divide", {
    inputSchema: z.object({ dividend: z.number(), divisor: z.number().default(2) }),
    outputSchema: z.object({ quotient: z.number() }),
    handler: ({ dividend, divisor }) => ({ quotient: dividend / divisor }),
  })
  .tool("pi", { outputSchema: z.object({ pi: z.number() }), handler: () => ({ pi: Math.PI }) });

/** Over HTTP, the client needs only the type of the server: import it with `import type`. */
export async function halve(url: string, dividend: number): Promise<number> {
  await using client = await connect<typeof calculator>(url);
  const result = await client.callTool("divide", { dividend });
  if (result.isError) throw new Error("the calculator failed");
  return result.structuredContent.quotient;
}
