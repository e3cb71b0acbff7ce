// A stdio server whose handlers start branches that they do not await at once. Prints unhandled rejections on stderr.
import { createServer } from "@lethe/server";
import { serveStdio } from "@lethe/server/node";

const server = createServer({ name: "branching", version: "1.0.0" });
const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };

server.tool("suspended", {
  async handler(_, ctx) {
    const branch = (async () => (await ctx.elicit("Who are you?", form)).name)();
    const { name } = await ctx.elicit("Who else?", form);
    return `${await branch} and ${name}`;
  },
});
server.tool("broken", {
  async handler() {
    void (async () => {
      throw new Error("a real mistake");
    })();
    return "done";
  },
});

process.on("uncaughtExceptionMonitor", (error, origin) => console.error(`${origin}: ${error.message}`));
await serveStdio(server);
