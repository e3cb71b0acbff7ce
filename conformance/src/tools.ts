// Tools that fail, report progress, check capabilities, or change the lists of the server.
import { setTimeout as wait } from "node:timers/promises";
import { type Server, ToolError } from "@lethe/server";
import { z } from "zod";

/** In ms. The suite checks the order of notifications, not their times. */
const stepMs = 50;
/** ms */
const longMs = 500;

export function defineTools(server: Server): void {
  server.tool("test_error_handling", {
    description: "Fails, and says why",
    handler() {
      throw new ToolError("This tool intentionally returns an error for testing");
    },
  });
  server.tool("test_tool_with_progress", {
    description: "Reports progress in three steps",
    async handler(_, ctx) {
      for (const done of [0, 50, 100]) {
        if (done > 0) await wait(stepMs, undefined, { signal: ctx.signal });
        ctx.progress(done, 100, `Completed step ${done} of 100`);
      }
      return "All steps completed.";
    },
  });
  server.tool("test_tool_with_logging", {
    description: "Logs three messages",
    async handler(_, ctx) {
      for (const message of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
        ctx.log("info", message);
        await wait(stepMs, undefined, { signal: ctx.signal });
      }
      return "Tool with logging executed successfully.";
    },
  });
  server.tool("test_logging_tool", {
    description: "Logs to clients that ask for it",
    handler(_, ctx) {
      ctx.log("info", "This message is for clients that asked for it");
      return "Logged, or not.";
    },
  });
  server.tool("test_reconnection", {
    description: "Takes so long that a legacy client is sent away and has to come back for the answer",
    async handler(_, ctx) {
      await wait(longMs, undefined, { signal: ctx.signal });
      return "You came back.";
    },
  });
  server.use((next) => (request, exchange) => {
    if (request.params.name === "test_reconnection") exchange.disconnect?.();
    return next(request, exchange);
  });
  server.tool("test_missing_capability", {
    description: "Is only for clients that declare sampling",
    needs: { sampling: {} },
    handler: () => "This client declared sampling.",
  });
  server.tool("test_x_mcp_header", {
    description: "Takes a parameter that is mirrored into a header",
    inputSchema: z.object({ region: z.string().meta({ "x-mcp-header": "Region" }) }),
    handler: ({ region }) => `Region: ${region}`,
  });
  server.tool("json_schema_2020_12_tool", {
    description: "Has an input schema with keywords of JSON Schema 2020-12",
    inputSchema: contactSchema,
    handler: (args) => `Called with ${JSON.stringify(args)}`,
  });
  server.tool("test_trigger_tool_change", {
    description: "Tells that the list of tools has changed",
    handler: () => server.toolsChanged(),
  });
  server.tool("test_trigger_prompt_change", {
    description: "Tells that the list of prompts has changed",
    handler: () => server.promptsChanged(),
  });
}

/** The schema must reach the client unchanged. */
const contactSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};
