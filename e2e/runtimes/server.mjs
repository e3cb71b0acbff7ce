// One server for every runtime, with a call, an elicitation, a stream and a sealed state.
import { createServer } from "@lethe/server";
import { z } from "zod";

export const server = createServer({ name: "runtimes", version: "1.0.0" })
  .tool("add", {
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    outputSchema: z.object({ sum: z.number() }),
    handler: ({ a, b }) => ({ sum: a + b }),
  })
  .tool("greet", {
    async handler(_, ctx) {
      const id = await ctx.uuid();
      const { name } = await ctx.elicit("Who are you?", z.object({ name: z.string() }));
      return `hello ${name}, ${id.length}`;
    },
  })
  .tool("count", {
    handler(_, ctx) {
      for (const done of [1, 2, 3]) ctx.progress(done, 3);
      server.resourceUpdated("note://today");
      return "counted";
    },
  })
  .resource("note://today", { handler: () => "a note" });
