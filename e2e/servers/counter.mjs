// A modern server that keeps a number in its process: each call of `inc` adds one and names the process.
import { createServer } from "@lethe/server";
import { serveStdio } from "@lethe/server/node";

let n = 0;
const server = createServer({ name: "counter", version: "1.0.0" });
server.tool("inc", {
  handler() {
    n += 1;
    return `${process.pid} ${n}`;
  },
});
await serveStdio(server);
