// One of several processes of a server with one tool of many steps, started by fork: its tasks are in Redis, and each step that begins
// adds a line to a file.
import { appendFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { connectRedis, createRedisTaskStore } from "@lethe/redis";
import { createServer } from "@lethe/server";
import { serve } from "@lethe/server/node";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    redis: { type: "string", default: "" },
    effects: { type: "string", default: "" },
    steps: { type: "string", default: "60" },
    stepMs: { type: "string", default: "1000" },
    leaseMs: { type: "string", default: "15000" },
  },
});

const store = await createRedisTaskStore(await connectRedis({ url: values.redis }));
const tasks = { store, leaseMs: Number(values.leaseMs) };
/** Outages are expected. */
const onError = (error) => error?.data?.reason !== "task_store_unavailable" && console.error(error);
const server = createServer({ name: "steps", version: "1.0.0" }, { tasks, onError });
server.tool("count", {
  task: "always",
  async handler(_, ctx) {
    const id = await ctx.uuid();
    let sum = 0;
    for (let step = 1; step <= Number(values.steps); step++) {
      sum += await ctx.once(`step ${step}`, async ({ idempotencyKey, fence }) => {
        appendFileSync(values.effects, `${id} ${step} ${fence} ${idempotencyKey}\n`);
        await wait(Number(values.stepMs), undefined, { signal: ctx.signal });
        return step;
      });
    }
    return String(sum);
  },
});
const { url } = await serve(server, { port: Number(values.port) });
console.log(`Listening on ${url}`);
