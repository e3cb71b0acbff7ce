import { createServer as createHttpServer } from "node:http";
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from "@modelcontextprotocol/node";
import {
  acceptedContent,
  completable,
  createMcpHandler,
  createRequestStateCodec,
  inputRequired,
  McpServer,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { z } from "zod";

const cities = ["Berlin", "Bern", "Paris"];
const startingWith = (value) => cities.filter((city) => city.startsWith(value));
const text = (value) => ({ content: [{ type: "text", text: value }] });
const structured = (value) => ({ ...text(JSON.stringify(value)), structuredContent: value });
const where = z.object({ city: z.string() });
const confirmation = z.object({ sure: z.boolean() });
const codec = createRequestStateCodec({ key: process.env.KEYS.padEnd(32, "-"), bind: ({ mcpReq }) => mcpReq.method });

function createServer() {
  const server = new McpServer({ name: "travel", version: "1.0.0" }, { requestState: { verify: codec.verify } });
  server.registerTool(
    "add",
    {
      description: "Adds two prices",
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    },
    ({ a, b }) => structured({ sum: a + b }),
  );
  server.registerTool(
    "weather",
    {
      description: "The weather of a city",
      inputSchema: z.object({ city: z.string() }),
      outputSchema: z.object({ sky: z.enum(["clear", "rain"]) }),
    },
    () => structured({ sky: "clear" }),
  );
  server.registerTool("count", { description: "Counts to three" }, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [1, 2, 3]) {
      await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 3 } });
    }
    return text("counted");
  });
  server.registerTool("book", { description: "Books a trip" }, async (ctx) => {
    const { mcpReq } = ctx;
    const state = mcpReq.requestState();
    const city = state?.city ?? acceptedContent(mcpReq.inputResponses, "where", where)?.city;
    if (city === undefined) {
      return inputRequired({
        inputRequests: { where: inputRequired.elicit({ message: "Where to?", requestedSchema: where }) },
      });
    }
    const answer = state && acceptedContent(mcpReq.inputResponses, "confirmation", confirmation);
    if (!answer) {
      return inputRequired({
        inputRequests: {
          confirmation: inputRequired.elicit({ message: `Book ${city}?`, requestedSchema: confirmation }),
        },
        requestState: await codec.mint({ city }, ctx),
      });
    }
    return text(answer.sure ? `Booked ${city}.` : "Not booked.");
  });
  server.registerTool(
    "summarize",
    { description: "Summarizes a text", inputSchema: z.object({ text: z.string() }) },
    (args, { mcpReq }) => {
      const summary = mcpReq.inputResponses?.summary;
      if (summary) return text(summary.content.text);
      const messages = [{ role: "user", content: { type: "text", text: args.text } }];
      return inputRequired({ inputRequests: { summary: inputRequired.createMessage({ messages, maxTokens: 9 }) } });
    },
  );
  server.registerTool("fail", { description: "Fails" }, () => {
    throw new Error("postgres://admin:hunter2@db is down");
  });
  server.registerResource(
    "trip",
    new ResourceTemplate("trip://{city}", { list: undefined, complete: { city: startingWith } }),
    {},
    ({ href }, { city }) => ({ contents: [{ uri: href, text: `A trip to ${city}` }] }),
  );
  server.registerPrompt(
    "plan",
    { description: "Plans a trip", argsSchema: z.object({ city: completable(z.string(), startingWith) }) },
    ({ city }) => ({
      messages: [{ role: "user", content: { type: "text", text: `Plan a trip to ${city}.` } }],
    }),
  );
  return server;
}

const handle = toNodeHandler(createMcpHandler(createServer));
const isHostValid = localhostHostValidation();
const isOriginValid = localhostOriginValidation();
createHttpServer((request, response) => {
  if (isHostValid(request, response) && isOriginValid(request, response)) void handle(request, response);
}).listen(Number(process.env.PORT), "127.0.0.1");
