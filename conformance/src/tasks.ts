// Tools of the tasks extension (SEP-2663): work that continues after the response to its request.
import { setTimeout as wait } from "node:timers/promises";
import { errorCode, McpError } from "@lethe/protocol";
import { type Server, ToolError } from "@lethe/server";
import { z } from "zod";

/** In ms. The suite expects a task if a call takes 1 s or longer, and a plain result only if it returns immediately. */
const afterMs = 200;
/** ms */
const jobMs = 1_000;

export function defineTasks(server: Server): void {
  server.tool("greet", {
    description: "Greets, and never takes long",
    inputSchema: z.object({ name: z.string() }),
    handler: ({ name }) => `Hello, ${name}!`,
  });
  server.tool("slow_compute", {
    description: "Computes for some seconds",
    inputSchema: z.object({ seconds: z.number().min(0).max(3600), label: z.string().optional() }),
    task: { mode: "auto", afterMs },
    async handler({ seconds, label = "it" }, ctx) {
      await wait(seconds * 1000, undefined, { signal: ctx.signal });
      return `Computed ${label} in ${seconds} s.`;
    },
  });
  server.tool("failing_job", {
    description: "Fails after a second, and says why",
    task: "always",
    async handler(_, ctx) {
      await wait(jobMs, undefined, { signal: ctx.signal });
      throw new ToolError("This job intentionally fails for testing");
    },
  });
  server.tool("protocol_error_job", {
    description: "Ends with an error of the protocol",
    task: "always",
    handler() {
      throw new McpError(errorCode.internalError, "This job intentionally breaks for testing");
    },
  });
  defineAskingTasks(server);
}

/** Tools that request input in a task, and before a task exists. */
function defineAskingTasks(server: Server): void {
  server.tool("confirm_delete", {
    description: "Asks before it deletes",
    inputSchema: z.object({ filename: z.string() }),
    task: "always",
    async handler({ filename }, ctx) {
      const { confirm } = await ctx.elicit(`Delete ${filename}?`, z.object({ confirm: z.boolean() }), {
        key: "confirm",
      });
      return confirm ? `Deleted ${filename}.` : `Kept ${filename}.`;
    },
  });
  server.tool("multi_input", {
    description: "Sends two input requests in one round",
    task: "always",
    async handler(_, ctx) {
      const [{ name }, { confirm }] = await Promise.all([
        ctx.elicit("What is your name?", z.object({ name: z.string() }), { key: "name" }),
        ctx.elicit("Go on?", z.object({ confirm: z.boolean() }), { key: "confirm" }),
      ]);
      return `${name}: ${confirm}`;
    },
  });
  server.tool("test_tool_with_task", {
    description: "Asks first, and then takes so long that it becomes a task",
    task: { mode: "auto", afterMs },
    async handler(_, ctx) {
      const { name } = await ctx.elicit("What is your name?", z.object({ name: z.string() }), { key: "user_name" });
      await wait(jobMs, undefined, { signal: ctx.signal });
      return `Done for ${name}.`;
    },
  });
}
