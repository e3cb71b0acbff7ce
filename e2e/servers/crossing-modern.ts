// The server of crossing-offer.ts on the wire of 2026-07-28, with this project's server library.
import type { JsonObject, PromptMessage, ResourceContents } from "@lethe/protocol";
import { type Context, createServer, type FullToolResult } from "@lethe/server";
import { serve } from "@lethe/server/node";
import {
  type ArrivedCall,
  type CrossingServer,
  complete,
  getPrompt,
  type Hands,
  instructions,
  pageSize,
  prompts,
  read,
  resources,
  runTool,
  templates,
  tools,
} from "./crossing-offer.ts";

export async function startModern(): Promise<CrossingServer> {
  const calls: ArrivedCall[] = [];
  const cancelled: string[] = [];
  const options = { instructions, pageSize, onError: () => {} };
  const server = createServer({ name: "crossing", version: "1.0.0" }, options);
  server.use((next) => (request, exchange) => {
    const { method, params } = request;
    if (method === "tools/call") {
      calls.push({
        name: String(params.name),
        meta: params._meta,
        header: (name) => exchange.headers?.(name),
      });
    }
    return next(request, exchange);
  });
  for (const { name, inputSchema, outputSchema, ...listed } of tools) {
    server.tool(name, {
      ...listed,
      inputSchema,
      ...(outputSchema && { outputSchema }),
      handler: (args: JsonObject, ctx: Context) =>
        runTool(
          name,
          args,
          toHands(ctx, () => cancelled.push(name)),
        ) as Promise<FullToolResult<JsonObject>>,
    });
  }
  for (const { name, arguments: args = [], ...listed } of prompts) {
    const properties = Object.fromEntries(args.map((arg) => [arg.name, { type: "string" }]));
    const required = args.flatMap((arg) => (arg.required ? [arg.name] : []));
    server.prompt(name, {
      ...listed,
      argsSchema: { type: "object", properties, required },
      ...(name === "greet" && {
        complete: { language: (value, context) => complete({ argument: { name: "language", value }, context }) },
      }),
      handler: (given) => getPrompt(name, given) as { description: string; messages: PromptMessage[] },
    });
  }
  for (const { uri, ...listed } of resources) {
    server.resource(uri, { ...listed, handler: (asked) => read(asked) as unknown as ResourceContents });
  }
  for (const { uriTemplate, ...listed } of templates) {
    server.resourceTemplate(uriTemplate, {
      ...listed,
      complete: { number: (value) => complete({ argument: { name: "number", value } }) },
      handler: (_, ctx) => read(String(ctx.request.params.uri)) as unknown as ResourceContents,
    });
  }
  const serving = await serve(server, { port: 0 });
  return {
    url: serving.url,
    calls,
    cancelled,
    add(kind, name) {
      if (kind === "tools") server.tool(name, { handler: () => "new" });
      else if (kind === "prompts") server.prompt(name, { handler: () => "new" });
      else server.resource(`test://${name}`, { name, handler: () => "new" });
    },
    update: (uri) => server.resourceUpdated(uri),
    async close() {
      await serving.close({ graceMs: 0 });
      await server.close();
    },
  };
}

function toHands(ctx: Context, onCancelled: () => void): Hands {
  return {
    signal: ctx.signal,
    progress: (...told) => ctx.progress(...told),
    log: (...told) => ctx.log(...told),
    onCancelled,
    async elicit(message) {
      const { name } = await ctx.elicit(message, { type: "object", properties: { name: { type: "string" } } });
      return String(name);
    },
    async sample(prompt) {
      const { content } = await ctx.sample({
        messages: [{ role: "user", content: { type: "text", text: prompt } }],
        maxTokens: 10,
      });
      return (content as { text: string }).text;
    },
    roots: () => ctx.roots(),
  };
}
