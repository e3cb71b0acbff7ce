// A server with two workers, as an author writes it. Prints its URL once.
import { setTimeout as sleep } from "node:timers/promises";
import { createServer } from "@lethe/server";
import { rateLimit } from "@lethe/server/middleware";
import { serve } from "@lethe/server/node";
import { workerProcess } from "@lethe/server/workers";

const server = createServer({ name: "workers", version: "1.0.0" });
server.tool("who", { handler: () => `${process.pid}` });
server.tool("ask", {
  async handler(_, ctx) {
    const { answer } = await ctx.elicit("Sure?", { type: "object", properties: { answer: { type: "string" } } });
    return `${answer} at ${process.pid}`;
  },
});
server.tool("slow", {
  task: "always",
  async handler(_, ctx) {
    const first = await ctx.once("first", () => process.pid);
    console.error(`begun at ${process.pid}`);
    await sleep(1_500);
    return `begun at ${first}`;
  },
});
server.tool("wait", {
  async handler() {
    console.error("waiting");
    await sleep(Number(process.env.WAIT_MS));
    return "waited";
  },
});
server.tool("count", { handler: () => "counted" });
server.resource("test://one", { handler: () => "one" });
server.tool("touch", {
  handler() {
    server.resourceUpdated("test://one");
    return "touched";
  },
});
if (process.env.LIMIT) server.use(rateLimit({ perCaller: Number(process.env.LIMIT) }));
const serving = await serve(server, { port: Number(process.env.PORT ?? 0), workers: 2 });
if (!workerProcess()) console.log(serving.url);
process.once("SIGTERM", () => serving.close({ graceMs: Number(process.env.GRACE_MS ?? 2_000) }));
