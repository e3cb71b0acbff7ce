// A tool that waits for days: its task sleeps in the store, without a process.
import { createServer, type Server, type ServerOptions } from "@lethe/server";
import { z } from "zod";

type Send = (text: string, idempotencyKey: string) => Promise<void>;

export function createReminders(send: Send, options: ServerOptions = {}): Server {
  return createServer({ name: "reminders", version: "1.0.0" }, options).tool("remind", {
    description: "Send a reminder after some days, and another one after 90 minutes",
    inputSchema: z.object({ text: z.string(), days: z.int().min(1).max(14) }),
    task: "always",
    async handler({ text, days }, ctx) {
      await ctx.sleep(`${days} days`);
      await ctx.once("first", ({ idempotencyKey }) => send(text, idempotencyKey));
      await ctx.sleep("90 min");
      await ctx.once("second", ({ idempotencyKey }) => send(`Again: ${text}`, idempotencyKey));
      return "Two reminders were sent.";
    },
  });
}
