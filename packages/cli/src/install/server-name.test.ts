import { expect, it } from "vitest";
import { toServerName } from "./server-name.ts";

it.each([
  ["https://tracker.example/mcp", "tracker"],
  ["http://127.0.0.1:3000/mcp", "localhost-3000"],
  ["http://localhost/mcp", "localhost"],
  ["http://[::1]:3000/mcp", "localhost-3000"],
  ["http://10.0.0.7:8080/mcp", "server-8080"],
])("a server at %s gets the name %s", (url, name) => {
  expect(toServerName({ url, headers: {} })).toBe(name);
});

it.each([
  [["npx", "-y", "@modelcontextprotocol/server-everything@1.2.3"], "server-everything"],
  [["node", "/home/me/my-server/dist/main.js"], "my-server"],
  [["uvx", "tool.py"], "tool"],
  [["my-server"], "my-server"],
])("a server that %j starts gets the name %s", ([command = "", ...args], name) => {
  expect(toServerName({ command, args, env: {} })).toBe(name);
});
