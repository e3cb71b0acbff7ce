// Serves the tracker: node examples/tracker/dist/server.js [--port 3000] [--audit FILE] [--bugs N] [--redis URL] [--stdio]
// Several processes need the same sealing keys in LETHE_KEYS, and share the audit file. With --redis they also share the
// record of answered input requests; otherwise each process has its own.
import { parseArgs } from "node:util";
import { connectRedis, createRedisSingleUseStore } from "@lethe/redis";
import { serve, serveStdio } from "@lethe/server/node";
import { type Audit, createFileAudit } from "./audit.ts";
import { createTracker } from "./tracker.ts";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: process.env.PORT ?? "3000" },
    audit: { type: "string", default: process.env.AUDIT ?? "" },
    redis: { type: "string" },
    bugs: { type: "string", default: "4" },
    stdio: { type: "boolean", default: false },
  },
});

const printAudit: Audit = async (entry) => console.error(JSON.stringify(entry));
const audit = values.audit === "" ? printAudit : createFileAudit(values.audit);
const keys = process.env.LETHE_KEYS;
const redis = values.redis === undefined ? undefined : await connectRedis({ url: values.redis, prefix: "tracker:" });
const shared = redis && { singleUse: await createRedisSingleUseStore(redis, { keys }) };
const tracker = createTracker({ keys, audit, bugCount: Number(values.bugs), ...shared });

if (values.stdio) {
  await serveStdio(tracker);
} else {
  const { url } = await serve(tracker, { port: Number(values.port) });
  console.log(`Listening on ${url}`);
}
