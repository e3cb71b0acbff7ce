// A server program for tests over stdio. It fails at its start if FAIL is set.
import { createServer } from "@lethe/server";
import { serveStdio } from "@lethe/server/node";

if (process.env.FAIL) {
  console.error("no database");
  process.exit(1);
}
const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
await serveStdio(
  createServer({ name: "greeter", version: "1.0.0" })
    .tool("pid", { handler: () => String(process.pid) })
    .tool("greet", { handler: async (_, ctx) => `Hello ${(await ctx.elicit("Your name?", form)).name}!` }),
);
