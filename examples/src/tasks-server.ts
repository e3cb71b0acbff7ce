// A tool whose work takes minutes: a task for clients that declare tasks, and a plain call for all others.
import { setTimeout as wait } from "node:timers/promises";
import { createServer, type Server } from "@lethe/server";
import type { TaskStore } from "@lethe/server/stores";
import { z } from "zod";

export interface ImporterOptions {
  /** The task store. Default: the memory of this process. */
  store?: TaskStore;
  /** Duration of one table, in ms. */
  tableMs: number;
  exists(table: string): boolean;
  write(table: string): Promise<void>;
}

export function createImporter({ store, tableMs, exists, write }: ImporterOptions): Server {
  const server = createServer({ name: "importer", version: "1.0.0" }, { tasks: { ...(store && { store }) } });

  server.tool("import_tables", {
    description: "Import tables, one after the other",
    inputSchema: z.object({ tables: z.array(z.string()).min(1) }),
    outputSchema: z.object({ imported: z.array(z.string()) }),
    // Becomes a task after 50 ms. "always" creates a task immediately, and rejects clients without tasks.
    task: { mode: "auto", afterMs: 50 },
    async handler({ tables }, ctx) {
      const imported: string[] = [];
      for (const [index, table] of tables.entries()) {
        // The status message of the task, or a progress notification for a waiting client.
        ctx.progress(index, tables.length, `importing ${table}`);
        if (await ctx.once(`look ${table}`, () => exists(table))) {
          const { overwrite } = await ctx.elicit(`Overwrite ${table}?`, z.object({ overwrite: z.boolean() }));
          if (!overwrite) continue;
        }
        // Runs once, even if the handler runs again after a response, or in another process after this one died.
        await ctx.once(`import ${table}`, async () => {
          // Cancelling the task aborts the signal.
          await wait(tableMs, undefined, { signal: ctx.signal });
          await write(table);
        });
        imported.push(table);
      }
      return { imported };
    },
  });

  return server;
}
