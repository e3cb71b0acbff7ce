// A server whose tool records each run in a file. It prints its URL.
import { appendFileSync } from "node:fs";
import { createServer } from "@lethe/server";
import { serve } from "@lethe/server/node";

const server = createServer({ name: "recorder", version: "1.0.0" });
server.tool("record", {
  handler() {
    appendFileSync(process.argv[2], "ran\n");
    return "recorded";
  },
});
const { url } = await serve(server, { port: 0 });
console.log(url);
