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
  return new MutatingSource(random, options);
}

class MutatingSource implements RequestSource {
  readonly #random: Random;
  readonly #path: string;
  readonly #host: string;
  readonly #keys: readonly string[] | undefined;
  readonly #prefix: string;
  readonly #pools: Pools = { sessions: [], states: [], cursors: [], tasks: [], eventIds: [], questions: [] };
  #lastId = 0;

  constructor(random: Random, { path, host, keys, prefix = "" }: SourceOptions) {
    this.#random = random;
    this.#path = path;
    this.#host = host;
    this.#keys = keys;
    this.#prefix = prefix;
  }

  next(): HttpInput {
    if (this.#random.chance(0.08)) return this.#other();
    const isModern = this.#random.chance(0.55);
    const message = isModern ? this.#modern().message : this.#legacy();
    const sent = this.#changed(message);
    const shown =
      this.#random.chance(0.9) && typeof sent === "object" && sent !== null
        ? (sent as Record<string, unknown>)
        : message;
    const headers = this.#headersOf(shown, isModern);
    while (this.#random.chance(0.15)) this.#changeHeaders(headers);
    const body = this.#random.chance(0.05)
      ? [sent, this.#random.chance(0.5) ? this.#legacy() : this.#modern().message]
      : sent;
    return { method: "POST", path: this.#path, headers, body: toHostileJson(body, this.#random) };
  }

  nextMessage(): string {
    const message = this.#random.chance(0.55) ? this.#modern().message : this.#legacy();
    if (this.#random.chance(0.03)) Object.assign(message, { [this.#random.pick(memberNames)]: 1 });
    return toHostileJson(this.#random.chance(0.05) ? [message] : this.#changed(message), this.#random);
  }

  learn(text: string, sessionId: string | undefined): void {
    keep(this.#pools.sessions, sessionId, this.#random);
    keep(this.#pools.states, /"requestState":"([^"]+)"/.exec(text)?.[1], this.#random);
    keep(this.#pools.cursors, /"nextCursor":"([^"]+)"/.exec(text)?.[1], this.#random);
    keep(this.#pools.tasks, /"taskId":"([^"]+)"/.exec(text)?.[1], this.#random);
    keep(this.#pools.eventIds, /^id: ?(\S+)/m.exec(text)?.[1], this.#random);
    keep(this.#pools.questions, /"inputRequests":\{"([^"]+)"/.exec(text)?.[1], this.#random);
  }

  #paramsOf(method: string): Record<string, unknown> {
    switch (method) {
      case "tools/call":
        return this.#toolCall();
      case "prompts/get":
        return { name: `${this.#prefix}greet`, arguments: { name: this.#random.pick(hostileTexts) } };
      case "resources/read":
        return { uri: this.#random.pick(uris) };
      case "completion/complete": {
        const ref = this.#random.chance(0.5)
          ? { type: "ref/prompt", name: `${this.#prefix}greet` }
          : { type: "ref/resource", uri: "file:///{name}/{+rest}" };
        return { ref, argument: { name: "name", value: this.#random.pick(["a", "", "b"]) } };
      }
      case "tasks/get":
      case "tasks/cancel":
      case "tasks/result":
      case "tasks/update":
        return { taskId: this.#from(this.#pools.tasks), ...(method === "tasks/update" && { inputResponses: {} }) };
      case "subscriptions/listen":
        return { notifications: { toolsListChanged: true, resourceSubscriptions: [this.#random.pick(uris)] } };
      case "logging/setLevel":
        return { level: this.#random.pick(["debug", "info", "loud"]) };
      case "resources/subscribe":
      case "resources/unsubscribe":
        return { uri: this.#random.pick(uris) };
      default:
        return this.#random.chance(0.3) ? { cursor: this.#from(this.#pools.cursors) } : {};
    }
  }

  #toolCall(): Record<string, unknown> {
    const name = this.#prefix + this.#random.pick(tools);
    const params: Record<string, unknown> = {
      name,
      arguments: this.#random.chance(0.8)
        ? { a: this.#random.below(9), b: 2, text: "x" }
        : this.#random.pick<unknown>([{}, null, [], { a: "x" }]),
    };
    if (this.#random.chance(0.3)) {
      params.requestState = this.#from(this.#pools.states);
      const answer = this.#random.pick<unknown>([
        { action: "accept", content: { text: "x" } },
        { action: "decline" },
        { action: "accept", content: { text: 1 } },
        {},
        null,
      ]);
      params.inputResponses = { [this.#from(this.#pools.questions)]: answer };
    }
    if (this.#random.chance(0.1)) params.task = { ttl: this.#random.below(5_000) };
    return params;
  }

  #modern(): { method: string; message: Record<string, unknown> } {
    const method = this.#random.pick<string>([
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
    const capabilities = this.#random.chance(0.8)
      ? { elicitation: { form: {} }, extensions: { "io.modelcontextprotocol/tasks": {} } }
      : {};
    const _meta = {
      [versionKey]: this.#random.chance(0.95) ? "2026-07-28" : this.#random.pick(["2025-11-25", "1900-01-01", ""]),
      "io.modelcontextprotocol/clientCapabilities": capabilities,
      ...(this.#random.chance(0.2) && { "io.modelcontextprotocol/logLevel": "debug" }),
      ...(this.#random.chance(0.2) && { progressToken: this.#id() }),
    };
    return {
      method,
      message: { jsonrpc: "2.0", id: this.#id(), method, params: { ...this.#paramsOf(method), _meta } },
    };
  }

  #legacy(): Record<string, unknown> {
    const method = this.#random.pick<string>([
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
        id: this.#random.pick<unknown>([1, 2, "1", this.#from(this.#pools.questions)]),
        result: { action: "accept", content: { text: "y" } },
      };
    }
    if (method === "initialize") {
      const capabilities = this.#random.chance(0.7) ? { elicitation: {}, sampling: {}, roots: {} } : {};
      const params = {
        protocolVersion: this.#random.pick(revisions),
        capabilities,
        clientInfo: { name: "fuzz", version: "1" },
      };
      return { jsonrpc: "2.0", id: this.#id(), method, params };
    }
    if (method.startsWith("notifications/")) {
      return {
        jsonrpc: "2.0",
        method,
        params: method.endsWith("cancelled") ? { requestId: this.#random.below(this.#lastId + 2) } : {},
      };
    }
    return {
      jsonrpc: "2.0",
      id: this.#id(),
      method,
      params: { ...this.#paramsOf(method), ...(this.#random.chance(0.2) && { _meta: { progressToken: this.#id() } }) },
    };
  }

  /** Leaves half of all messages valid, because bugs may also show after an invalid message. */
  #changed(message: unknown): unknown {
    if (this.#random.chance(0.5)) return message;
    return mutateJson(message, this.#random, 1 + this.#random.below(3));
  }

  #headersOf(message: Record<string, unknown>, isModern: boolean): [string, string][] {
    const headers: [string, string][] = [
      ["Host", this.#host],
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
      if (this.#random.chance(0.7)) headers.push(["MCP-Protocol-Version", this.#random.pick(revisions)]);
      if (method !== "initialize") headers.push(["Mcp-Session-Id", this.#from(this.#pools.sessions)]);
    }
    if (this.#keys) headers.push(["Authorization", `Bearer ${this.#random.pick(this.#keys)}`]);
    return headers;
  }

  #changeHeaders(headers: [string, string][]): void {
    const index = this.#random.below(headers.length);
    const header = headers[index];
    if (!header) return;
    switch (this.#random.below(5)) {
      case 0:
        headers.splice(index, 1);
        return;
      case 1:
        headers.push([header[0], header[1]]);
        return;
      case 2:
        header[1] = mutateText(header[1], this.#random);
        return;
      case 3:
        headers.push([
          this.#random.pick([
            "Origin",
            "Last-Event-ID",
            "Mcp-Name",
            "Mcp-Param-a",
            "X-Forwarded-For",
            "Content-Encoding",
          ]),
          this.#from(this.#pools.eventIds),
        ]);
        return;
      default:
        header[1] = this.#random.pick(hostileTexts);
    }
  }

  #other(): HttpInput {
    const headers: [string, string][] = [
      ["Host", this.#host],
      ["Accept", this.#random.pick(["text/event-stream", "*/*", "application/json"])],
      ["Mcp-Session-Id", this.#from(this.#pools.sessions)],
      ...(this.#random.chance(0.5)
        ? ([["Last-Event-ID", this.#from(this.#pools.eventIds)]] as [string, string][])
        : []),
      ...(this.#keys ? ([["Authorization", `Bearer ${this.#random.pick(this.#keys)}`]] as [string, string][]) : []),
    ];
    const places = [
      this.#path,
      "/",
      "//",
      `${this.#path}/`,
      `${this.#path}?a=b`,
      "/sse",
      "/messages?sessionId=x",
      `${this.#path}/none`,
      "/healthz",
      "/%zz",
      "*",
    ] as const;
    return {
      method: this.#random.pick(["GET", "DELETE", "OPTIONS", "HEAD", "PUT", "POST"]),
      path: this.#random.pick(places),
      headers,
      body: undefined,
    };
  }

  #from(pool: readonly string[]): string {
    return this.#random.pickAny(pool) ?? this.#random.pick(hostileTexts);
  }

  #id(): unknown {
    if (this.#random.chance(0.9)) return ++this.#lastId;
    return this.#random.pick<unknown>([0, -1, 1.5, "", "a", "1", null, 2 ** 53, {}, []]);
  }
}

function keep(pool: string[], found: string | undefined, random: Random): void {
  if (found === undefined) return;
  if (pool.length < poolSize) pool.push(found);
  else pool[random.below(poolSize)] = found;
}
