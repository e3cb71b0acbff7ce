// The built-in server of `lethe compare`: one tool for each feature that may depend on the transport (I-33).
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createServer, type Server, type ServerOptions } from "@lethe/server";
import type { SealKey } from "@lethe/server/stores";

/** In ms. The work ends before the first poll, so that every run makes the same number of requests. */
const background = { afterMs: 20, workMs: 80, pollIntervalMs: 250 };

export function createDemoServer(options: ServerOptions = {}): Server {
  const server = createServer(
    { name: "lethe-demo", version: "1.0.0" },
    { keys: demoKeys(), tasks: { pollIntervalMs: background.pollIntervalMs }, ...options },
  );
  server.tool("greet", {
    description: "Greets a person by name",
    inputSchema: toSchema({ name: { type: "string" } }),
    annotations: { readOnlyHint: true },
    handler: ({ name }) => `Hello, ${String(name)}!`,
  });
  server.tool("summarize", {
    description: "Asks the client's model for a summary (sampling)",
    inputSchema: toSchema({ text: { type: "string" } }),
    async handler({ text }, ctx) {
      const content = { type: "text" as const, text: `Summarize: ${String(text)}` };
      const { content: answer } = await ctx.sample({ messages: [{ role: "user", content }], maxTokens: 50 });
      return JSON.stringify(answer);
    },
  });
  server.tool("book_table", {
    description: "Asks the user how many guests there will be (elicitation)",
    async handler(_args, ctx) {
      const { guests } = await ctx.elicit("How many guests?", {
        type: "object",
        properties: { guests: { type: "integer", minimum: 1, default: 2 } },
        required: ["guests"],
      });
      return `A table for ${String(guests)}`;
    },
  });
  server.tool("list_folders", {
    description: "Asks the client for its roots (roots)",
    handler: async (_args, ctx) => (await ctx.roots()).map(({ uri }) => uri).join("\n"),
  });
  server.tool("count", {
    description: "Counts to three and reports progress (progress)",
    handler(_args, ctx) {
      for (const done of [1, 2, 3]) ctx.progress(done, 3, `counted ${done}`);
      return "counted to 3";
    },
  });
  server.tool("chatter", {
    description: "Logs while it works (logging)",
    handler(_args, ctx) {
      ctx.log("info", "a message from inside the call", "demo");
      return "said something";
    },
  });
  server.tool("grow", {
    description: "Adds a tool to this server (change notifications)",
    handler() {
      server.removeTool("grown");
      server.tool("grown", { description: "Was not there before", handler: () => "here I am" });
      return "there is a new tool";
    },
  });
  server.tool("render", {
    description: "Runs longer than a connection should stay open (background work)",
    task: { mode: "auto", afterMs: background.afterMs },
    async handler(_args, ctx) {
      await sleep(background.workMs, undefined, { signal: ctx.signal });
      return "rendered";
    },
  });
  server.resource("demo://readme", { name: "readme", mimeType: "text/plain", handler: () => "Read me." });
  server.prompt("welcome", { description: "Welcomes a guest", handler: () => "Welcome a guest." });
  return server;
}

function toSchema(properties: Record<string, { type: string }>): { [member: string]: unknown } {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}

/** Random keys suffice, because no other process shares them. */
function demoKeys(): SealKey[] {
  return [{ id: "demo", key: randomBytes(32).toString("base64url") }];
}
