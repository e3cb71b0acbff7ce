// Tools with schemas of zod, of valibot, or as plain JSON Schema.
import { createServer, ToolError } from "@lethe/server";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { z } from "zod";
import { serveWhenMain } from "./serve-when-main.ts";

export const server = createServer({ name: "tools", version: "1.0.0" });

// With an output schema, the result is validated and typed data. The model gets its JSON as text.
server.tool("divide", {
  description: "Divide with remainder",
  inputSchema: z.object({ dividend: z.int(), divisor: z.int() }),
  outputSchema: z.object({ quotient: z.int(), remainder: z.int() }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  handler({ dividend, divisor }) {
    // The model sees the message of a ToolError. Any other error appears only in the log.
    if (divisor === 0) throw new ToolError("the divisor must not be zero");
    return { quotient: Math.trunc(dividend / divisor), remainder: dividend % divisor };
  },
});

server.tool("initials", {
  description: "The initials of a name",
  inputSchema: toStandardJsonSchema(v.object({ name: v.pipe(v.string(), v.minLength(1)) })),
  handler: ({ name }) => name.replaceAll(/(\S)\S*\s*/g, "$1"),
});

server.tool("count_words", {
  description: "Count the words of a text",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  handler: ({ text }) => `${String(text).split(/\s+/).length} words`,
});

await serveWhenMain(server, import.meta.url);
