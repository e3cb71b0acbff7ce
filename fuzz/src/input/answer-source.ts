// The responses of a hostile server: valid messages, mutated ones and random ones, for clients of both eras.
import { hostileTexts, hostileValues } from "./dictionary.ts";
import { mutateJson, toHostileJson } from "./mutate-json.ts";
import type { Random } from "./random.ts";

const discovered = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true } },
  serverInfo: { name: "hostile", version: "1" },
  ttlMs: 0,
  cacheScope: "public",
};
const initialized = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true }, logging: {} },
  serverInfo: { name: "hostile", version: "1" },
};
const asked = {
  resultType: "input_required",
  inputRequests: {
    a: { method: "elicitation/create", params: { message: "?", requestedSchema: { type: "object", properties: {} } } },
  },
  requestState: "x",
};
const task = {
  resultType: "task",
  taskId: "t",
  status: "working",
  createdAt: "2026-01-01T00:00:00Z",
  ttlMs: 100,
  pollIntervalMs: 1,
};

function rightResult(method: unknown, random: Random): unknown {
  switch (method) {
    case "server/discover":
      return discovered;
    case "initialize":
      return initialized;
    case "tools/list":
      return {
        tools: [{ name: "t", inputSchema: { type: "object" } }],
        ...(random.chance(0.2) && { nextCursor: random.pick(["a", "b", ""]) }),
      };
    case "resources/list":
      return { resources: [{ uri: "a:b", name: "b" }] };
    case "prompts/list":
      return { prompts: [{ name: "p" }] };
    case "tools/call":
      return random.pick<object>([{ content: [{ type: "text", text: "x" }] }, asked, task, { content: [] }]);
    default:
      return random.pick([{}, asked, task, ...hostileValues]);
  }
}

/** The messages that answer one request, as JSON texts; sometimes none, sometimes many. */
export function answersTo(request: unknown, random: Random): string[] {
  const { id, method, params } = (typeof request === "object" && request !== null ? request : {}) as Record<
    string,
    unknown
  >;
  const result = rightResult(method, random);
  const answer = random.chance(0.85)
    ? {
        jsonrpc: "2.0",
        id,
        result:
          method === "initialize"
            ? result
            : { ...(result as object), ...(random.chance(0.7) && { resultType: "complete" }) },
      }
    : {
        jsonrpc: "2.0",
        id,
        error: { code: random.pick([-32601, -32602, -32603, -32000, 404, 0]), message: random.pick(hostileTexts) },
      };
  const token = (params as { _meta?: { progressToken?: unknown } } | undefined)?._meta?.progressToken;
  const extras = [
    {
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: token, progress: random.below(9), total: 9 },
    },
    { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: random.pick(hostileValues) } },
    { jsonrpc: "2.0", method: "notifications/tools/list_changed" },
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } },
    {
      jsonrpc: "2.0",
      id: random.pick([id, 1, "q", null]),
      method: "elicitation/create",
      params: { message: "?", requestedSchema: { type: "object", properties: {} } },
    },
    { jsonrpc: "2.0", id: 7, method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } },
    { jsonrpc: "2.0", id: 8, method: "ping" },
    {
      jsonrpc: "2.0",
      id: 9,
      method: "elicitation/create",
      params: {
        message: "?",
        _meta: { "io.modelcontextprotocol/related-task": { taskId: random.pick(hostileValues) } },
      },
    },
  ] as const;
  const messages: unknown[] = [];
  while (random.chance(0.3)) messages.push(random.pick<object>(extras));
  messages.push(random.chance(0.6) ? answer : mutateJson(answer, random, 1 + random.below(3)));
  if (random.chance(0.1)) messages.push(answer);
  return messages.map((message) => (random.chance(0.05) ? random.pick(hostileTexts) : toHostileJson(message, random)));
}
