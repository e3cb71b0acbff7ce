// A server of the official SDK, over stdio, with an app of the official package for apps, whose page calls the tool "poll".
import { RESOURCE_MIME_TYPE, registerAppResource, registerAppTool } from "@modelcontextprotocol/ext-apps/server";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const uri = "ui://official/clock.html";

serveStdio(() => {
  const server = new McpServer({ name: "official", version: "1.0.0" });
  const answer = () => ({ content: [{ type: "text", text: "noon" }] });
  registerAppTool(server, "clock", { _meta: { ui: { resourceUri: uri } } }, answer);
  registerAppTool(server, "poll", { _meta: { ui: { resourceUri: uri, visibility: ["app"] } } }, answer);
  registerAppResource(server, "clock", uri, {}, () => ({
    contents: [{ uri, mimeType: RESOURCE_MIME_TYPE, text: "<title>Clock</title>" }],
  }));
  return server;
});
