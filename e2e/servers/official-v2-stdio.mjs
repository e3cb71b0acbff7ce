// A server made from the official SDK v2 on stdin and stdout, which sends every kind of input request.
import { acceptedContent, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const none = { inputSchema: z.object({}) };
const text = (said) => ({ content: [{ type: "text", text: said }] });

function createServer() {
  const server = new McpServer({ name: "official", version: "1.0.0" }, { capabilities: { logging: {} } });
  server.registerTool("add", { inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) =>
    text(`${a + b}`),
  );
  server.registerTool("count", none, async (_args, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [1, 2, 3]) {
      await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 3 } });
    }
    await mcpReq.log("info", "counted");
    return text("counted");
  });
  server.registerTool("ask", none, (_args, { mcpReq: { inputResponses } }) => {
    const named = acceptedContent(inputResponses, "name", z.object({ name: z.string() }));
    if (named)
      return text([named.name, inputResponses.model.content.text, inputResponses.roots.roots[0].uri].join(", "));
    const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
    const messages = [{ role: "user", content: { type: "text", text: "Hello?" } }];
    return inputRequired({
      inputRequests: {
        name: inputRequired.elicit({ message: "Who?", requestedSchema }),
        model: inputRequired.createMessage({ messages, maxTokens: 10 }),
        roots: inputRequired.listRoots(),
      },
    });
  });
  server.registerTool("grow", none, () => {
    server.registerTool("another", none, () => text("here"));
    return text("grown");
  });
  server.registerResource("note", "test://note", {}, ({ href }) => ({ contents: [{ uri: href, text: "a note" }] }));
  return server;
}

serveStdio(createServer);
