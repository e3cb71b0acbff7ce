// Explicit input rounds: a handler returns input requests and state, and runs again with the responses. Use this form if
// straight-line code with `await ctx.elicit(…)`, as in tracker/, does not fit.
import { createServer, inputRequired, isElicitResult } from "@lethe/server";
import { z } from "zod";
import { serveWhenMain } from "./serve-when-main.ts";

export const server = createServer({ name: "raw-interaction", version: "1.0.0" });

server.tool("guess_number", {
  description: "Let the user guess a number from 1 to 100",
  inputSchema: z.object({ hidden: z.int().min(1).max(100) }),
  handler({ hidden }, ctx) {
    const tries = Number(ctx.state?.tries ?? 0);
    const answer = ctx.inputResponses?.guess;
    if (tries > 0 && isElicitResult(answer)) {
      if (answer.action !== "accept") return `The user gave up after ${tries - 1} tries.`;
      if (answer.content?.number === hidden) return `Found after ${tries} tries.`;
      return ask(tries, Number(answer.content?.number) < hidden ? "Higher!" : "Lower!");
    }
    return ask(tries, "Guess a number from 1 to 100");
  },
});

/** The client carries the sealed `state`, so another machine may handle the next guess. */
function ask(tries: number, message: string) {
  const requestedSchema = { type: "object" as const, properties: { number: { type: "integer" as const } } };
  return inputRequired({
    inputRequests: { guess: { method: "elicitation/create", params: { message, requestedSchema } } },
    state: { tries: tries + 1 },
  });
}

await serveWhenMain(server, import.meta.url);
