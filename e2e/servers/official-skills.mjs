// A server of the official SDK with the skills of a folder: node official-skills.mjs FOLDER [legacy]
import { McpServer } from "@modelcontextprotocol/server";
import { loadSkills } from "@modelcontextprotocol/server/ext/skills/node";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";

const [folder, era] = process.argv.slice(2);
const skills = await loadSkills(folder);

function createServer() {
  const server = new McpServer({ name: "official", version: "1.0.0" });
  skills.attach(server);
  return server;
}

if (era === "legacy") await createServer().connect(new StdioServerTransport());
else serveStdio(createServer);
