// Validates every message sent to legacy clients against the schema of their revision.
import { createSseDecoder, type JsonObject } from "@lethe/protocol";
import type { LegacyRevision } from "@lethe/protocol/revisions";
import type { FetchHandler } from "@lethe/server/edge";
import { describe, expect, it } from "vitest";
import { createFixture } from "../../conformance/src/fixture.ts";
import type { WireClient } from "../../examples/src/testing/wire-client.ts";
import { driveServer } from "../wire/drive-server.ts";
import { createMessageCheck } from "./legacy-schema.ts";
import { createTracker } from "./tracker.ts";

const revisions: LegacyRevision[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const capabilities = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: { listChanged: true } };
const modernWords = /"(resultType|ttlMs|cacheScope|io\.modelcontextprotocol\/[a-zA-Z]+)"/;

/** A session that keeps the messages that it receives. */
async function openSession(handler: FetchHandler, revision: LegacyRevision) {
  const check = createMessageCheck(revision);
  const seen = new Set<unknown>();
  const problems: string[] = [];
  let headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  let lastId = 0;

  const post = (body: JsonObject): Promise<Response> =>
    handler(new Request("http://localhost/mcp", { method: "POST", headers, body: JSON.stringify(body) }));

  function note(message: JsonObject, method: string): JsonObject {
    seen.add(message.method ?? ("error" in message ? "error" : method));
    const wrong = check(message, method);
    if (modernWords.test(JSON.stringify(message))) wrong.push("says what only modern results say");
    if (wrong.length > 0) problems.push(`${JSON.stringify(message)}\n  ${wrong.join("\n  ")}`);
    return message;
  }

  async function* read(response: Response): AsyncGenerator<JsonObject> {
    if (response.headers.get("content-type") === "application/json") yield (await response.json()) as JsonObject;
    else {
      const decoder = createSseDecoder();
      const body = response.body?.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>;
      let lastEventId = "";
      for await (const text of body) {
        for (const { data, id = lastEventId } of decoder.push(text)) {
          lastEventId = id;
          if (data) yield JSON.parse(data);
        }
      }
      // The server closed the stream before the response, so the client has to resume it (D-35).
      const { "content-type": _, ...others } = headers;
      const again = { ...others, "last-event-id": lastEventId };
      yield* read(await handler(new Request("http://localhost/mcp", { headers: again })));
    }
  }

  async function request(method: string, params: JsonObject, respond?: Parameters<WireClient["ask"]>[2]) {
    const id = ++lastId;
    const _meta = { progressToken: `p${id}` };
    const response = await post({ jsonrpc: "2.0", id, method, params: { ...params, _meta } });
    for await (const message of read(response)) {
      note(message, method);
      if (!("method" in message)) return { response, message };
      if (!("id" in message)) continue;
      const result = respond?.("", message as { method: string; params: JsonObject });
      await post({ jsonrpc: "2.0", id: message.id, result });
    }
    throw new Error(`${method}: no response`);
  }

  const clientInfo = { name: "old", version: "1" };
  const begun = await request("initialize", { protocolVersion: revision, capabilities, clientInfo });
  headers = { ...headers, "mcp-session-id": begun.response.headers.get("mcp-session-id") ?? "" };
  const client = { ask: async (...args: Parameters<typeof request>) => (await request(...args)).message };
  return { client: client as unknown as WireClient, seen, problems };
}

describe.each(revisions)("a client of %s", (revision) => {
  it("receives only valid messages from a server with every feature", async () => {
    const { client, seen, problems } = await openSession(createFixture().fetch, revision);
    await driveServer(client);
    for (const method of ["logging/setLevel", "ping", "resources/subscribe", "resources/unsubscribe"]) {
      await client.ask(method, { level: "debug", uri: "test://watched-resource" });
    }
    await client.ask("tools/call", { name: "test_tool_with_logging" });
    await client.ask("nonsense/call");
    expect(problems).toEqual([]);
    const asked = ["sampling/createMessage", "roots/list", ...(revision > "2025-06" ? ["elicitation/create"] : [])];
    for (const message of [...asked, "notifications/progress", "notifications/message", "error", "tools/call"]) {
      expect([message, seen.has(message)]).toEqual([message, true]);
    }
    expect(seen.has("elicitation/create")).toBe(revision > "2025-06");
  });

  it("receives only valid messages from a server without legacy features", async () => {
    const { client, problems } = await openSession(createTracker().fetch, revision);
    for (const method of ["tools/list", "resources/list", "prompts/list"]) await client.ask(method);
    for (const name of ["media", "count", "steps"]) await client.ask("tools/call", { name });
    expect(problems).toEqual([]);
  });
});
