// Serves the tracker: node examples/tracker/dist/server.js [--port 3000] [--audit FILE] [--bugs N] [--stdio]
// Processes that answer for each other need the same sealing keys in LETHE_KEYS, and share the audit file.
import { parseArgs } from "node:util";
import { serve, serveStdio } from "@lethe/server/node";
import { type Audit, createFileAudit } from "./audit.ts";
import { createTracker } from "./tracker.ts";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: process.env.PORT ?? "3000" },
    audit: { type: "string", default: process.env.AUDIT ?? "" },
    bugs: { type: "string", default: "4" },
    stdio: { type: "boolean", default: false },
  },
});

const printAudit: Audit = async (entry) => console.error(JSON.stringify(entry));
const audit = values.audit === "" ? printAudit : createFileAudit(values.audit);
const tracker = createTracker({ keys: process.env.LETHE_KEYS, audit, bugCount: Number(values.bugs) });

if (values.stdio) {
  await serveStdio(tracker);
} else {
  const { url } = await serve(tracker, { port: Number(values.port) });
  console.log(`Listening on ${url}`);
}
