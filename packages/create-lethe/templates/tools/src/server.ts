// The tools of the server. Each has a name, a schema of its arguments and a handler.
import { createServer, type Server, ToolError } from "@lethe/server";
import { z } from "zod";

export function createToolServer(): Server {
  const server = createServer({ name: "__name__", version: "0.1.0" });

  server.tool("greet", {
    description: "Greet a person",
    annotations: { readOnlyHint: true },
    inputSchema: z.object({ name: z.string().min(1).describe("Whom to greet") }),
    handler: ({ name }) => `Hello, ${name}!`,
  });

  server.tool("divide", {
    description: "Divide two numbers",
    annotations: { readOnlyHint: true },
    inputSchema: z.object({ dividend: z.number(), divisor: z.number() }),
    // Clients get data of this shape in addition to text.
    outputSchema: z.object({ quotient: z.number() }),
    handler({ dividend, divisor }) {
      // The caller reads the text of a ToolError. Any other error is only logged.
      if (divisor === 0) throw new ToolError("the divisor must not be 0");
      return { quotient: dividend / divisor };
    },
  });

  return server;
}
