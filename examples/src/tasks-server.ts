// A tool whose work takes minutes: a task for clients that know tasks, a call like any other for those that do not.
import { setTimeout as wait } from "node:timers/promises";
import { createServer, type Server } from "@lethe/server";
import type { TaskStore } from "@lethe/server/stores";
import { z } from "zod";

export interface ImporterOptions {
  /** Where tasks are kept. Default: in the memory of this process. */
  store?: TaskStore;
  /** How long one table takes, in ms. */
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
    // As soon as it takes longer than so many ms; "always" would be a task at once, and for no other clients.
    task: { mode: "auto", afterMs: 50 },
    async handler({ tables }, ctx) {
      const imported: string[] = [];
      for (const [index, table] of tables.entries()) {
        // What the task says of itself while it works, and progress for a client that waits.
        ctx.progress(index, tables.length, `importing ${table}`);
        if (await ctx.once(`look ${table}`, () => exists(table))) {
          const { overwrite } = await ctx.elicit(`Overwrite ${table}?`, z.object({ overwrite: z.boolean() }));
          if (!overwrite) continue;
        }
        // Done once, however often the handler is run: after an answer, or in another process after this one died.
        await ctx.once(`import ${table}`, async () => {
          // Aborted when the task is cancelled.
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
