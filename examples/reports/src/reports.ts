// A report generator: minutes of work, an elicitation half-way, and a process that may die at any time. The handler is
// straight-line code, because the journal of its task replays earlier results.
import { setTimeout as wait } from "node:timers/promises";
import { createServer, type Server, type ServerOptions } from "@lethe/server";
import { z } from "zod";
import type { Press } from "./press.ts";

export interface ReportsOptions extends Pick<ServerOptions, "tasks"> {
  press: Press;
  /** Duration of one chapter, in ms. Default 1000. */
  chapterMs?: number | undefined;
}

const report = z.object({ title: z.string(), chapters: z.array(z.string()), issue: z.number() });
const toneForm = z.object({ tone: z.enum(["sober", "cheerful"]) });

export function createReports({ tasks, press, chapterMs = 1_000 }: ReportsOptions): Server {
  const server = createServer({ name: "reports", version: "1.0.0" }, tasks && { tasks });

  server.tool("write_report", {
    description: "Write a report, chapter by chapter. Half-way, ask the user for its tone",
    inputSchema: z.object({ title: z.string(), chapters: z.int().min(1).max(100).default(6) }),
    outputSchema: report,
    // A client that declares tasks gets a task if the call takes longer than 1 s. Other clients wait for the report.
    task: "auto",
    async handler({ title, chapters: count }, ctx) {
      const chapters: string[] = [];
      let tone = "neutral";
      for (let number = 1; number <= count; number++) {
        if (number === Math.ceil(count / 2) + 1) {
          ({ tone } = await ctx.elicit(`Half of "${title}" is written. How should it go on?`, toneForm));
        }
        ctx.progress(number - 1, count, `writing chapter ${number} of ${count}`);
        // Runs once: when the handler runs again, after a response or in another process, the chapter exists.
        chapters.push(await ctx.once(`chapter ${number}`, () => writeChapter(title, number, tone, ctx.signal)));
      }
      const issue = await ctx.once("print", () => press.print({ title, chapters: chapters.length }));
      return { title, chapters, issue };
    },
  });

  async function writeChapter(title: string, number: number, tone: string, signal: AbortSignal): Promise<string> {
    await wait(chapterMs, undefined, { signal });
    await press.typeset({ title, chapter: number });
    return `Chapter ${number}, ${tone}`;
  }

  return server;
}
