// Suggestions for names of tools, prompts and resources.
import { type Client, connect } from "@lethe/client";
import { createServer } from "@lethe/server";
import { afterEach, expect, test } from "vitest";
import { callCommand } from "./call.ts";
import { explainUnknown } from "./unknown-name.ts";

let client: Client | undefined;
afterEach(() => client?.close());

const server = createServer({ name: "tracker", version: "1.0.0" });
server.tool("get_bug", { handler: () => "found" });
for (let i = 0; i < 12; i += 1) server.tool(`tool-${i}`, { handler: () => "" });
server.prompt("triage", { handler: () => "" });

async function messageOf(kind: "tool" | "prompt" | "resource", name: string): Promise<string> {
  client = await connect(server);
  const calling =
    kind === "tool" ? client.callTool(name) : kind === "prompt" ? client.getPrompt(name) : client.readResource(name);
  return explainUnknown<unknown>(calling, { client, kind, name }).then(
    () => "none",
    (error: Error) => error.message,
  );
}

test("suggests the tool with the most similar name", async () => {
  expect(await messageOf("tool", "get_bgu")).toBe('the server has no tool "get_bgu"; did you mean "get_bug"?');
});

test("lethe call with a misspelled name suggests the tool, with and without arguments", async () => {
  client = await connect(server);
  const run = { client, call: {}, isJson: false, received: () => {} };
  for (const words of [["get_bgu"], ["get_bgu", "id=1"]]) {
    await expect(callCommand.plan(words)(run as never)).rejects.toThrow(
      'the server has no tool "get_bgu"; did you mean "get_bug"?',
    );
  }
});

test("names the first tools of the server if none is similar", async () => {
  expect(await messageOf("tool", "weather")).toMatch(/it has get_bug, tool-0, .*, and others: see `lethe list`$/);
});

test("suggests the prompt with the most similar name", async () => {
  expect(await messageOf("prompt", "triag")).toBe('the server has no prompt "triag"; did you mean "triage"?');
});

test("says that a server without resources has none", async () => {
  expect(await messageOf("resource", "file:///a")).toBe("this server has no resources");
});

test("keeps an error about something else", async () => {
  expect(await messageOf("tool", "get_bug")).toBe("none");
});
