// Serves the report generator: node examples/reports/dist/server.js [--port 3000] [--data FOLDER] [--chapter-ms 1000]
// It stores tasks in a file: kill the process and start it again, and it finishes the running reports.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openFileTaskStore, serve } from "@lethe/server/node";
import { createFilePress } from "./press.ts";
import { createReports } from "./reports.ts";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: process.env.PORT ?? "3000" },
    data: { type: "string", default: process.env.DATA ?? "reports-data" },
    "chapter-ms": { type: "string", default: "1000" },
  },
});

await mkdir(values.data, { recursive: true });
const store = await openFileTaskStore(join(values.data, "tasks.lmdb"));
const press = createFilePress(join(values.data, "press.jsonl"));
const reports = createReports({ tasks: { store }, press, chapterMs: Number(values["chapter-ms"]) });

const { url, close } = await serve(reports, { port: Number(values.port) });
console.log(`Listening on ${url}`);

// On SIGTERM it hands its tasks back, so the next process continues them immediately.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, async () => {
    await close();
    await reports.close();
    await store.close();
  });
}
