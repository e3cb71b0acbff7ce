// Progress and log messages during a call. Clients that request them get an event stream. Revision 2026-07-28 deprecates log messages: write
// to stderr or OpenTelemetry instead.
import { setTimeout as wait } from "node:timers/promises";
import { createServer } from "@lethe/server";
import { z } from "zod";
import { serveWhenMain } from "./serve-when-main.ts";

export const server = createServer({ name: "progress-and-logging", version: "1.0.0" });

server.tool("import_files", {
  description: "Import some files, slowly",
  inputSchema: z.object({ files: z.array(z.string()).min(1) }),
  async handler({ files }, ctx) {
    for (const [index, file] of files.entries()) {
      // Ends the work as soon as the caller cancels or disconnects.
      await wait(10, undefined, { signal: ctx.signal });
      ctx.log("debug", { file, bytes: file.length }, "importer");
      ctx.progress(index + 1, files.length, file);
    }
    ctx.log("info", "all files imported", "importer");
    return `${files.length} files imported`;
  },
});

await serveWhenMain(server, import.meta.url);
