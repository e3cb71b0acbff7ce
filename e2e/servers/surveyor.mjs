// A stdio server of 2025-11-25, on the official SDK, whose slow tool requests input midway. It logs the progress of
// its calls to stderr.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "surveyor", version: "1.0.0" });

const pause = (ms, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new Error("cancelled"));
    });
  });

server.registerTool(
  "survey",
  { inputSchema: { place: z.string(), ms: z.number().default(400) } },
  async ({ place, ms }, { signal, sendNotification, _meta }) => {
    console.error(`begun ${place}`);
    signal.addEventListener("abort", () => console.error(`cancelled ${place}`));
    const say = async (progress, message) => {
      const params = { progressToken: _meta?.progressToken, progress, total: 2, message };
      if (_meta?.progressToken !== undefined) await sendNotification({ method: "notifications/progress", params });
    };
    await say(1, `measuring ${place}`);
    await pause(ms, signal);
    const properties = { unit: { type: "string", enum: ["metres", "feet"] } };
    const asked = { message: `Which unit for ${place}?`, requestedSchema: { type: "object", properties } };
    const { action, content } = await server.server.elicitInput(asked, { signal });
    if (action !== "accept") return { content: [{ type: "text", text: `${place} was not measured` }], isError: true };
    await say(2, `writing down ${place}`);
    await pause(ms, signal);
    console.error(`ended ${place}`);
    return { content: [{ type: "text", text: `${place}: 12 ${content.unit}` }] };
  },
);

await server.connect(new StdioServerTransport());
