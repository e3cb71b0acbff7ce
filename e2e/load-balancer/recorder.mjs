// A server that keeps one session per caller. Its tool records the id of each run in a file, and answers after `ms`.
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createServer } from "@lethe/server";
import { serveStdio } from "@lethe/server/node";

const server = createServer({ name: "recorder", version: "1.0.0" });
server.tool("record", {
  inputSchema: { type: "object", properties: { id: { type: "string" }, ms: { type: "number" } }, required: ["id"] },
  async handler({ id, ms = 0 }) {
    appendFileSync(process.argv[2], `${id}\n`);
    if (ms > 0) await sleep(ms);
    return id;
  },
});
serveStdio(server);
