// Calls a server of any revision: over HTTP, started as a command, or in this process.
import { type ConnectTarget, isMcpError, isTransportError } from "@lethe/client";
import { connect } from "@lethe/client/node";
import { z } from "zod";

const quotient = z.object({ quotient: z.number(), remainder: z.number() });

/** `target`: "http://127.0.0.1:3000/mcp", `{ command: "npx", args: ["my-server"] }`, or a server of `createServer`. */
export async function divide(target: ConnectTarget, dividend: number, divisor: number): Promise<string> {
  try {
    // `await using` closes the client at the end of the scope, like `client.close()`.
    await using client = await connect(target);
    // With `output`, the client validates structured content and infers its type.
    const result = await client.callTool("divide", { dividend, divisor }, { output: quotient });
    if (result.isError) return "the tool says that it failed";
    return `${result.structuredContent.quotient}, remainder ${result.structuredContent.remainder}`;
  } catch (error) {
    if (isMcpError(error)) return `the server refused: ${error.code} ${error.message}`;
    if (isTransportError(error)) return `the server was not reached: ${error.reason}`;
    throw error;
  }
}
