// One of several processes that write the same reports, started by fork. Their tasks are in Redis.
import { parseArgs } from "node:util";
import { connectRedis, createRedisTaskStore } from "@lethe/redis";
import { serve } from "@lethe/server/node";
import { createFilePress } from "../../examples/reports/dist/press.js";
import { createReports } from "../../examples/reports/dist/reports.js";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    redis: { type: "string", default: "" },
    press: { type: "string", default: "" },
  },
});

const store = await createRedisTaskStore(await connectRedis({ url: values.redis }));
const reports = createReports({
  tasks: { store, leaseMs: 1_500 },
  press: createFilePress(values.press),
  chapterMs: 600,
});
const { url } = await serve(reports, { port: Number(values.port) });
console.log(`Listening on ${url}`);
