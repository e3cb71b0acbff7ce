// Requests to an MCP endpoint: valid ones of every method and era, with states, sessions, cursors, tasks and event ids of earlier
// responses, then mutated slightly, strongly, or not at all.
import { hostileTexts, memberNames } from "./dictionary.ts";
import { mutateJson, mutateText, toHostileJson } from "./mutate-json.ts";
import type { Random } from "./random.ts";

export interface HttpInput {
  method: string;
  path: string;
  headers: [name: string, value: string][];
  body: string | undefined;
}

/** Values of earlier responses. Bounded: a new value replaces an old one. */
export interface Pools {
  readonly sessions: string[];
  readonly states: string[];
  readonly cursors: string[];
  readonly tasks: string[];
  readonly eventIds: string[];
  readonly questions: string[];
}

export interface RequestSource {
  next(): HttpInput;
  /** Returns only the JSON-RPC text, for stdio. */
  nextMessage(): string;
  /** Keeps values of a response for later requests. */
  learn(text: string, sessionId: string | undefined): void;
}

export interface SourceOptions {
  readonly path: string;
  readonly host: string;
  /** Tokens for the Authorization header. Default: none. */
  readonly keys?: readonly string[];
  /** The prefix of the names of tools and prompts. */
  readonly prefix?: string;
}

const poolSize = 32;
const tools = ["add", "echo", "count", "ask", "ask_twice", "ask_raw", "later", "refuse", "none"] as const;
const uris = [
  "note://0",
  "note://4",
  "file:///ann/x/y",
  "file:///%2e%2e/x",
  "file:////a//b",
  "note://none",
  "a:b",
] as const;
const lists = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] as const;
const revisions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;
const versionKey = "io.modelcontextprotocol/protocolVersion";

export function createRequestSource(random: Random, options: SourceOptions): RequestSource {
  const { path, host, keys, prefix = "" } = options;
  const pools: Pools = { sessions: [], states: [], cursors: [], tasks: [], eventIds: [], questions: [] };
  let lastId = 0;

  const from = (pool: readonly string[]): string => random.pickAny(pool) ?? random.pick(hostileTexts);
  const id = (): unknown =>
    random.chance(0.9) ? ++lastId : random.pick<unknown>([0, -1, 1.5, "", "a", "1", null, 2 ** 53, {}, []]);

  function paramsOf(method: string): Record<string, unknown> {
    switch (method) {
      case "tools/call":
        return toolCall();
      case "prompts/get":
        return { name: `${prefix}greet`, arguments: { name: random.pick(hostileTexts) } };
      case "resources/read":
        return { uri: random.pick(uris) };
      case "completion/complete": {
        const ref = random.chance(0.5)
          ? { type: "ref/prompt", name: `${prefix}greet` }
          : { type: "ref/resource", uri: "file:///{name}/{+rest}" };
        return { ref, argument: { name: "name", value: random.pick(["a", "", "b"]) } };
      }
      case "tasks/get":
      case "tasks/cancel":
      case "tasks/result":
      case "tasks/update":
        return { taskId: from(pools.tasks), ...(method === "tasks/update" && { inputResponses: {} }) };
      case "subscriptions/listen":
        return { notifications: { toolsListChanged: true, resourceSubscriptions: [random.pick(uris)] } };
      case "logging/setLevel":
        return { level: random.pick(["debug", "info", "loud"]) };
      case "resources/subscribe":
      case "resources/unsubscribe":
        return { uri: random.pick(uris) };
      default:
        return random.chance(0.3) ? { cursor: from(pools.cursors) } : {};
    }
  }

  function toolCall(): Record<string, unknown> {
    const name = prefix + random.pick(tools);
    const params: Record<string, unknown> = {
      name,
      arguments: random.chance(0.8)
        ? { a: random.below(9), b: 2, text: "x" }
        : random.pick<unknown>([{}, null, [], { a: "x" }]),
    };
    if (random.chance(0.3)) {
      params.requestState = from(pools.states);
      const answer = random.pick<unknown>([
        { action: "accept", content: { text: "x" } },
        { action: "decline" },
        { action: "accept", content: { text: 1 } },
        {},
        null,
      ]);
      params.inputResponses = { [from(pools.questions)]: answer };
    }
    if (random.chance(0.1)) params.task = { ttl: random.below(5_000) };
    return params;
  }

  function modern(): { method: string; message: Record<string, unknown> } {
    const method = random.pick<string>([
      ...([
        "tools/call",
        "tools/call",
        "tools/call",
        "prompts/get",
        "resources/read",
        "completion/complete",
        "server/discover",
      ] as const),
      ...(["tasks/get", "tasks/cancel", "tasks/update", "subscriptions/listen", "no/method"] as const),
      ...lists,
    ]);
    const capabilities = random.chance(0.8)
      ? { elicitation: { form: {} }, extensions: { "io.modelcontextprotocol/tasks": {} } }
      : {};
    const _meta = {
      [versionKey]: random.chance(0.95) ? "2026-07-28" : random.pick(["2025-11-25", "1900-01-01", ""]),
      "io.modelcontextprotocol/clientCapabilities": capabilities,
      ...(random.chance(0.2) && { "io.modelcontextprotocol/logLevel": "debug" }),
      ...(random.chance(0.2) && { progressToken: id() }),
    };
    return { method, message: { jsonrpc: "2.0", id: id(), method, params: { ...paramsOf(method), _meta } } };
  }

  function legacy(): Record<string, unknown> {
    const method = random.pick<string>([
      ...([
        "initialize",
        "initialize",
        "tools/call",
        "tools/call",
        "tools/call",
        "prompts/get",
        "resources/read",
        "ping",
      ] as const),
      ...([
        "completion/complete",
        "tasks/get",
        "tasks/result",
        "tasks/cancel",
        "tasks/list",
        "logging/setLevel",
      ] as const),
      ...([
        "resources/subscribe",
        "resources/unsubscribe",
        "notifications/initialized",
        "notifications/cancelled",
        "response",
      ] as const),
      ...lists,
    ]);
    if (method === "response") {
      return {
        jsonrpc: "2.0",
        id: random.pick<unknown>([1, 2, "1", from(pools.questions)]),
        result: { action: "accept", content: { text: "y" } },
      };
    }
    if (method === "initialize") {
      const capabilities = random.chance(0.7) ? { elicitation: {}, sampling: {}, roots: {} } : {};
      const params = {
        protocolVersion: random.pick(revisions),
        capabilities,
        clientInfo: { name: "fuzz", version: "1" },
      };
      return { jsonrpc: "2.0", id: id(), method, params };
    }
    if (method.startsWith("notifications/")) {
      return {
        jsonrpc: "2.0",
        method,
        params: method.endsWith("cancelled") ? { requestId: random.below(lastId + 2) } : {},
      };
    }
    return {
      jsonrpc: "2.0",
      id: id(),
      method,
      params: { ...paramsOf(method), ...(random.chance(0.2) && { _meta: { progressToken: id() } }) },
    };
  }

  /** Leaves half of all messages valid, because bugs may also show after an invalid message. */
  function changed(message: unknown): unknown {
    if (random.chance(0.5)) return message;
    return mutateJson(message, random, 1 + random.below(3));
  }

  function headersOf(message: Record<string, unknown>, isModern: boolean): [string, string][] {
    const headers: [string, string][] = [
      ["Host", host],
      ["Content-Type", "application/json"],
      ["Accept", "application/json, text/event-stream"],
    ];
    const { method, params } = message as { method?: unknown; params?: Record<string, unknown> };
    if (isModern) {
      headers.push(
        ["MCP-Protocol-Version", "2026-07-28"],
        ["Mcp-Method", typeof method === "string" ? method : "none"],
      );
      const name = params?.name ?? params?.uri ?? params?.taskId;
      if (typeof name === "string") headers.push(["Mcp-Name", name]);
    } else {
      if (random.chance(0.7)) headers.push(["MCP-Protocol-Version", random.pick(revisions)]);
      if (method !== "initialize") headers.push(["Mcp-Session-Id", from(pools.sessions)]);
    }
    if (keys) headers.push(["Authorization", `Bearer ${random.pick(keys)}`]);
    return headers;
  }

  function changeHeaders(headers: [string, string][]): void {
    const index = random.below(headers.length);
    const header = headers[index];
    if (!header) return;
    switch (random.below(5)) {
      case 0:
        headers.splice(index, 1);
        return;
      case 1:
        headers.push([header[0], header[1]]);
        return;
      case 2:
        header[1] = mutateText(header[1], random);
        return;
      case 3:
        headers.push([
          random.pick(["Origin", "Last-Event-ID", "Mcp-Name", "Mcp-Param-a", "X-Forwarded-For", "Content-Encoding"]),
          from(pools.eventIds),
        ]);
        return;
      default:
        header[1] = random.pick(hostileTexts);
    }
  }

  function other(): HttpInput {
    const headers: [string, string][] = [
      ["Host", host],
      ["Accept", random.pick(["text/event-stream", "*/*", "application/json"])],
      ["Mcp-Session-Id", from(pools.sessions)],
      ...(random.chance(0.5) ? ([["Last-Event-ID", from(pools.eventIds)]] as [string, string][]) : []),
      ...(keys ? ([["Authorization", `Bearer ${random.pick(keys)}`]] as [string, string][]) : []),
    ];
    const places = [
      path,
      "/",
      "//",
      `${path}/`,
      `${path}?a=b`,
      "/sse",
      "/messages?sessionId=x",
      `${path}/none`,
      "/healthz",
      "/%zz",
      "*",
    ] as const;
    return {
      method: random.pick(["GET", "DELETE", "OPTIONS", "HEAD", "PUT", "POST"]),
      path: random.pick(places),
      headers,
      body: undefined,
    };
  }

  return {
    next() {
      if (random.chance(0.08)) return other();
      const isModern = random.chance(0.55);
      const message = isModern ? modern().message : legacy();
      const sent = changed(message);
      const shown =
        random.chance(0.9) && typeof sent === "object" && sent !== null ? (sent as Record<string, unknown>) : message;
      const headers = headersOf(shown, isModern);
      while (random.chance(0.15)) changeHeaders(headers);
      const body = random.chance(0.05) ? [sent, random.chance(0.5) ? legacy() : modern().message] : sent;
      return { method: "POST", path, headers, body: toHostileJson(body, random) };
    },
    nextMessage() {
      const message = random.chance(0.55) ? modern().message : legacy();
      if (random.chance(0.03)) Object.assign(message, { [random.pick(memberNames)]: 1 });
      return toHostileJson(random.chance(0.05) ? [message] : changed(message), random);
    },
    learn(text, sessionId) {
      keep(pools.sessions, sessionId, random);
      keep(pools.states, /"requestState":"([^"]+)"/.exec(text)?.[1], random);
      keep(pools.cursors, /"nextCursor":"([^"]+)"/.exec(text)?.[1], random);
      keep(pools.tasks, /"taskId":"([^"]+)"/.exec(text)?.[1], random);
      keep(pools.eventIds, /^id: ?(\S+)/m.exec(text)?.[1], random);
      keep(pools.questions, /"inputRequests":\{"([^"]+)"/.exec(text)?.[1], random);
    },
  };
}

function keep(pool: string[], found: string | undefined, random: Random): void {
  if (found === undefined) return;
  if (pool.length < poolSize) pool.push(found);
  else pool[random.below(poolSize)] = found;
}
