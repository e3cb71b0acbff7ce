import { FastMCP } from "fastmcp";
import { z } from "zod";

const cities = ["Berlin", "Bern", "Paris"];
const startingWith = async (value) => ({ values: cities.filter((city) => city.startsWith(value)) });
const server = new FastMCP({ name: "travel", version: "1.0.0" });

server.addTool({
  name: "add",
  description: "Adds two prices",
  parameters: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
  execute: async ({ a, b }) => ({ sum: a + b }),
});
server.addTool({
  name: "weather",
  description: "The weather of a city",
  parameters: z.object({ city: z.string() }),
  outputSchema: z.object({ sky: z.enum(["clear", "rain"]) }),
  execute: async () => ({ sky: "clear" }),
});
server.addTool({
  name: "count",
  description: "Counts to three",
  async execute(_args, { reportProgress }) {
    for (const progress of [1, 2, 3]) await reportProgress({ progress, total: 3 });
    return "counted";
  },
});
server.addTool({
  name: "book",
  description: "Books a trip",
  async execute(_args, { elicit }) {
    const where = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    const { content } = await elicit({ message: "Where to?", requestedSchema: where });
    const confirmation = { type: "object", properties: { sure: { type: "boolean" } }, required: ["sure"] };
    const answer = await elicit({ message: `Book ${content.city}?`, requestedSchema: confirmation });
    return answer.content?.sure ? `Booked ${content.city}.` : "Not booked.";
  },
});
// fastmcp has no sampling in the context of a tool.
server.addTool({
  name: "fail",
  description: "Fails",
  async execute() {
    throw new Error("postgres://admin:hunter2@db is down");
  },
});
server.addResourceTemplate({
  uriTemplate: "trip://{city}",
  name: "trip",
  arguments: [{ name: "city", complete: startingWith }],
  load: async ({ city }) => ({ text: `A trip to ${city}` }),
});
server.addPrompt({
  name: "plan",
  description: "Plans a trip",
  arguments: [{ name: "city", required: true, complete: startingWith }],
  load: async ({ city }) => `Plan a trip to ${city}.`,
});

await server.start({ transportType: "httpStream", httpStream: { port: Number(process.env.PORT) } });
