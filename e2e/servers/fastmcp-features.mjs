// A server made from fastmcp (npm) that uses its features: on stdio, or over HTTP at PORT.
import { setTimeout as wait } from "node:timers/promises";
import { FastMCP } from "fastmcp";
import { z } from "zod";

const server = new FastMCP({ name: "fastmcp-features", version: "1.0.0" });

/** It appears in the list some time after it accepts messages. */
async function lastSession() {
  while (server.sessions.length === 0) await wait(20);
  return server.sessions.at(-1);
}

server.addTool({
  name: "add",
  description: "adds",
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => String(a + b),
});
server.addTool({
  name: "count",
  description: "counts to three, and says so",
  async execute(_args, { log, reportProgress }) {
    for (const progress of [1, 2, 3]) await reportProgress({ progress, total: 3 });
    log.info("counted");
    // It does not wait for its own messages, which would arrive after the result.
    await wait(50);
    return "counted";
  },
});
server.addTool({
  name: "greet",
  description: "asks for a name",
  async execute(_args, { elicit }) {
    const requestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
    const { action, content } = await elicit({ message: "Who?", requestedSchema });
    return action === "accept" ? `hello ${content.name}` : action;
  },
});
server.addTool({
  name: "sample",
  description: "asks the model of the last client",
  async execute() {
    const messages = [{ role: "user", content: { type: "text", text: "Hello?" } }];
    const { content } = await (await lastSession()).requestSampling({ messages, maxTokens: 10 });
    return content.text;
  },
});
server.addTool({
  name: "edit",
  description: "changes the note, and adds a prompt",
  async execute() {
    await (await lastSession()).sendResourceUpdated("test://note");
    server.addPrompt({ name: "another", description: "came later", load: async () => "hello" });
    return "edited";
  },
});
server.addResource({
  uri: "test://note",
  name: "note",
  mimeType: "text/plain",
  load: async () => ({ text: "a note" }),
});
server.addPrompt({
  name: "hi",
  description: "greets",
  arguments: [{ name: "name", required: true }],
  load: async ({ name }) => `Please greet ${name}.`,
});

const port = process.env.PORT;
if (port === undefined) await server.start({ transportType: "stdio" });
else {
  const stateless = process.argv[2] === "stateless";
  await server.start({ transportType: "httpStream", httpStream: { host: "127.0.0.1", port: Number(port), stateless } });
}
