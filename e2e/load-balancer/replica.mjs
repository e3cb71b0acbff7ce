// One of several processes that serve the same sessions, started by fork. Client messages about a running call stay
// here, go to all processes through their parent, or travel through Redis.
import { parseArgs } from "node:util";
import { connectRedis, createRedisServerOptions } from "@lethe/redis";
import { serve } from "@lethe/server/node";
import { createMemoryClientMessageRelay } from "@lethe/server/stores";
import { createTracker } from "../server-legacy/server.mjs";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    shared: { type: "boolean", default: false },
    redis: { type: "string" },
    poll: { type: "string", default: "0" },
    patience: { type: "string", default: "600000" },
  },
});

async function share() {
  if (values.redis) return createRedisServerOptions(await connectRedis({ url: values.redis }));
  const here = createMemoryClientMessageRelay();
  process.on("message", ({ sessionId, word }) => here.deliver(sessionId, word));
  /** @type {import("@lethe/server/stores").ClientMessageRelay} */
  const everywhere = { listen: here.listen, deliver: (sessionId, word) => void process.send?.({ sessionId, word }) };
  return { legacy: { clientMessages: values.shared ? everywhere : here } };
}

const { legacy, ...others } = await share();
const times = { answerTimeoutMs: Number(values.patience), pollAfterMs: Number(values.poll), retryMs: 50 };
const tracker = createTracker({ ...others, legacy: { ...legacy, ...times } });
const { url } = await serve(tracker, { port: Number(values.port) });
console.log(`Listening on ${url}`);
