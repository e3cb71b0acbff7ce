// Handlers with mistakes; the test compares what the compiler says.
import { createServer } from "@lethe/server";
import { z } from "zod";

const server = createServer({ name: "types", version: "1.0.0" });
const outputSchema = z.object({ sky: z.enum(["clear", "rain"]), degrees: z.number() });

server.tool("value", { outputSchema, handler: () => ({ sky: "fog", degrees: 1 }) });
server.tool("missing", { outputSchema, handler: () => ({ sky: "clear" }) });
server.tool("block", {
  outputSchema,
  handler() {
    return { sky: "fog", degrees: 1 };
  },
});
server.tool("of another library", { inputSchema: z.object({ city: z.string() }), run: () => "" });
server.tool("misspelt", { outputSchma: outputSchema, handler: () => "" });
