// One server with one of each feature that differs for older clients. Run as a process, it serves stdio.
import { argv } from "node:process";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { audio, createServer, link, ToolError, text } from "@lethe/server";
import { serveStdio } from "@lethe/server/node";
import { z } from "zod";

/** @param {import("@lethe/server").ServerOptions} [options] */
export function createTracker(options) {
  let isOpen = true;
  let waiting = 0;
  let cancelled = 0;
  const server = createServer({ name: "tracker", version: "1.0.0" }, { instructions: "Be nice.", ...options });
  server.tool("resolve", {
    title: "Resolve a bug",
    inputSchema: z.object({ id: z.number().int() }),
    outputSchema: z.object({ id: z.number(), resolution: z.string() }),
    async handler({ id }, ctx) {
      const { resolution, tags } = await ctx.elicit(
        `How was bug #${id} resolved?`,
        z.object({ resolution: z.enum(["Fixed", "Duplicate"]), tags: z.array(z.enum(["ui", "api"])).default(["ui"]) }),
      );
      const { note } = await ctx.elicit("A note?", z.object({ note: z.string() }));
      return { id, resolution: `${resolution} (${tags.join(", ")}): ${note}` };
    },
  });
  server.tool("steps", {
    async handler(_args, ctx) {
      for (const done of [0, 50, 100]) {
        ctx.progress(done, 100, `at ${done}`);
        ctx.log("info", { done });
        // This SDK drops progress that it reads together with the response.
        await setTimeout(10);
      }
      return "done";
    },
  });
  server.tool("media", {
    handler: () => [text("hi"), audio("UklGRg==", "audio/wav"), link("test://a", { name: "a" })],
  });
  server.tool("count", { outputSchema: z.number(), handler: () => ({ content: [], structuredContent: 3 }) });
  server.tool("think", {
    async handler(_args, ctx) {
      const messages = [{ role: "user", content: { type: "text", text: "2 + 2?" } }];
      const { content } = await ctx.sample({ messages, maxTokens: 10 });
      const roots = await ctx.roots();
      return `${JSON.stringify(content)} in ${roots.map(({ uri }) => uri).join()}`;
    },
  });
  server.tool("switch", {
    handler() {
      isOpen = !isOpen;
      server.resourceUpdated("test://door");
      if (isOpen) server.removeTool("knock");
      else server.tool("knock", { handler: () => "who is there?" });
      return isOpen ? "open" : "closed";
    },
  });
  server.tool("wait", {
    task: "auto",
    handler: (_args, ctx) =>
      new Promise((_resolve, reject) => {
        waiting++;
        ctx.signal.addEventListener("abort", () => {
          waiting--;
          cancelled++;
          reject(ctx.signal.reason);
        });
      }),
  });
  server.tool("print", {
    task: "always",
    inputSchema: z.object({ pages: z.number().int() }),
    outputSchema: z.object({ printed: z.number() }),
    async handler({ pages }, ctx) {
      if (pages === 0) throw new ToolError("nothing to print");
      ctx.progress(1, pages, "printing");
      if (pages < 10) return { printed: pages };
      const { copies } = await ctx.elicit(`Print ${pages} pages?`, z.object({ copies: z.number().int() }));
      return { printed: pages * copies };
    },
  });
  server.tool("waiting", { handler: () => String(waiting) });
  server.tool("cancelled", { handler: () => String(cancelled) });
  server.resource("test://door", { name: "door", handler: () => (isOpen ? "open" : "closed") });
  server.prompt("hello", { argsSchema: z.object({ name: z.string() }), handler: ({ name }) => `Say hello to ${name}` });
  return server;
}

if (argv[1] === fileURLToPath(import.meta.url)) await serveStdio(createTracker());
