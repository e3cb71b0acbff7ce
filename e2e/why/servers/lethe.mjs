import { createServer } from "@lethe/server";
import { serve } from "@lethe/server/node";
import { z } from "zod";

const cities = ["Berlin", "Bern", "Paris"];
const startingWith = (value) => cities.filter((city) => city.startsWith(value));
const server = createServer({ name: "travel", version: "1.0.0" }, { keys: process.env.KEYS });

server.tool("add", {
  description: "Adds two prices",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
  handler: ({ a, b }) => ({ sum: a + b }),
});
server.tool("weather", {
  description: "The weather of a city",
  inputSchema: z.object({ city: z.string() }),
  outputSchema: z.object({ sky: z.enum(["clear", "rain"]) }),
  handler: () => ({ sky: "clear" }),
});
server.tool("count", {
  description: "Counts to three",
  handler(_args, ctx) {
    for (const step of [1, 2, 3]) ctx.progress(step, 3);
    return "counted";
  },
});
server.tool("book", {
  description: "Books a trip",
  async handler(_args, ctx) {
    const { city } = await ctx.elicit("Where to?", z.object({ city: z.string() }));
    const { sure } = await ctx.elicit(`Book ${city}?`, z.object({ sure: z.boolean() }));
    return sure ? `Booked ${city}.` : "Not booked.";
  },
});
server.tool("summarize", {
  description: "Summarizes a text",
  inputSchema: z.object({ text: z.string() }),
  async handler({ text }, ctx) {
    const { content } = await ctx.sample({
      messages: [{ role: "user", content: { type: "text", text } }],
      maxTokens: 9,
    });
    return content.text;
  },
});
server.tool("fail", {
  description: "Fails",
  handler() {
    throw new Error("postgres://admin:hunter2@db is down");
  },
});
server.resourceTemplate("trip://{city}", {
  name: "trip",
  complete: { city: startingWith },
  handler: ({ city }) => `A trip to ${city}`,
});
server.prompt("plan", {
  description: "Plans a trip",
  argsSchema: z.object({ city: z.string() }),
  complete: { city: startingWith },
  handler: ({ city }) => `Plan a trip to ${city}.`,
});

await serve(server, { port: Number(process.env.PORT) });
