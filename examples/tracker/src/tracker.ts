// A work-item tracker. Its `resolve_bug` elicits input once or twice. No process keeps state of a waiting call, so any process
// may handle the next round. A response counts once: sending it again has no effect.
import { createServer, type Server, type ServerOptions, ToolError } from "@lethe/server";
import { z } from "zod";
import type { Audit } from "./audit.ts";
import { type Bug, bugSchema, createBugs, resolutions } from "./bugs.ts";

export interface TrackerOptions extends Pick<ServerOptions, "keys" | "singleUse"> {
  audit: Audit;
  /** The initial number of bugs. Default: a few. */
  bugCount?: number | undefined;
}

const oneBug = z.object({ id: z.int().describe("Number of the bug") });
const resolutionForm = z.object({ resolution: z.enum(resolutions) });

export function createTracker({ audit, bugCount, ...options }: TrackerOptions): Server {
  const bugs = createBugs(bugCount);
  const server = createServer({ name: "tracker", version: "1.0.0" }, options);

  server.tool("list_bugs", {
    description: "All bugs",
    annotations: { readOnlyHint: true },
    outputSchema: z.object({ bugs: z.array(bugSchema) }),
    handler: () => ({ bugs: bugs.all() }),
  });

  server.tool("get_bug", {
    description: "One bug",
    annotations: { readOnlyHint: true },
    inputSchema: oneBug,
    outputSchema: bugSchema,
    handler: ({ id }) => known(id, bugs.find(id)),
  });

  server.tool("resolve_bug", {
    description: "Mark a bug as resolved after asking the user how",
    inputSchema: oneBug,
    outputSchema: bugSchema,
    async handler({ id }, ctx) {
      const { title } = known(id, bugs.find(id));
      const { resolution } = await ctx.elicit(`How was bug #${id} resolved? (${title})`, resolutionForm);

      // Runs once per call, although the handler runs from the top in every round.
      const by = ctx.caller?.id;
      const at = (await ctx.now()).toISOString();
      await ctx.once("audit", () => audit({ bug: id, resolution, ...(by !== undefined && { by }), at }));

      if (resolution !== "Duplicate") return known(id, bugs.resolve(id, { resolution }));
      const { duplicateOf } = await ctx.elicit("Which bug is the original?", originalForm(id));
      return known(id, bugs.resolve(id, { resolution, duplicateOf }));
    },
  });

  /** Elicits again, with the problem, if the response does not fit the schema. */
  function originalForm(id: number) {
    const isOther = (original: number) => original !== id && bugs.find(original) !== undefined;
    return z.object({ duplicateOf: z.int().refine(isOther, "the number of another bug is needed") });
  }

  return server;
}

function known(id: number, bug: Bug | undefined): Bug {
  if (bug === undefined) throw new ToolError(`there is no bug #${id}`);
  return bug;
}
