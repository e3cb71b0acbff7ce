// A server whose tool sleeps and then waits for a callback. Its tasks are in a file, and each effect adds a line to another file.
import { appendFileSync } from "node:fs";
import { createServer } from "@lethe/server";
import { openFileTaskStore, serve } from "@lethe/server/node";

const [store = "", effects = "", port = "0", callbackUrl = ""] = process.argv.slice(2);
const server = createServer(
  { name: "durable", version: "1.0.0" },
  { callbackUrl, tasks: { store: await openFileTaskStore(store) } },
);
server.tool("approve", {
  task: "always",
  async handler(_, ctx) {
    const effect = (name, text = "") =>
      ctx.once(name, () => appendFileSync(effects, `${name} ${process.pid} ${text}\n`));
    await effect("began");
    await ctx.sleep("2 s");
    await effect("woke");
    const approval = await ctx.callback();
    await effect("asked", approval.url);
    return `approved by ${(await approval.received()).by}`;
  },
});
const { url } = await serve(server, { port: Number(port) });
console.log(`Listening on ${url}`);
