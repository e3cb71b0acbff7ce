// A legacy client for tests: sends the messages of its revision, and returns responses unchanged.
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import type { LegacyRevision } from "@lethe/protocol/revisions";
import type { Answer, Client, Sent } from "./http-platforms.ts";

/** One block of an event stream; a field is absent when the block lacks it. */
export interface RawEvent {
  id?: string;
  event?: string;
  retry?: string;
  data?: string;
}

export interface LegacyClient {
  readonly sessionId: string | undefined;
  readonly initialized: JsonObject;
  /** The headers of every later request. */
  readonly headers: NonNullable<Sent["headers"]>;
  post(body: JsonObject | unknown[], headers?: Sent["headers"]): Promise<Answer>;
  /** Posts a request, and closes its connection when `leave` is called. */
  open(body: JsonObject, headers?: Sent["headers"]): ReturnType<Client["open"]>;
  /** Sends a request and resolves with its response, as JSON or from a stream. */
  request(method: string, params?: JsonObject, id?: string | number): Promise<JsonObject>;
  get(headers?: Sent["headers"]): ReturnType<Client["open"]>;
  delete(): Promise<Answer>;
}

/** Removes the headers that the platforms of the tests add for modern servers. */
const older = { "mcp-protocol-version": undefined, "mcp-method": undefined, "mcp-name": undefined };

export function toInitialize(revision: string, capabilities: JsonObject = {}): JsonObject {
  const clientInfo = { name: "old", version: "1" };
  return {
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { protocolVersion: revision, capabilities, clientInfo },
  };
}

export async function begin(
  client: Client,
  revision: LegacyRevision = "2025-11-25",
  capabilities: JsonObject = {},
  more: Sent["headers"] = {},
): Promise<LegacyClient> {
  const answer = await client.send({ headers: { ...older, ...more }, body: toInitialize(revision, capabilities) });
  const { result } = await answer.json();
  const sessionId = answer.headers.get("mcp-session-id") ?? undefined;
  return resume(client, revision, sessionId, isJsonObject(result) ? result : {}, more);
}

/** Continues a session with another client. */
export function resume(
  client: Client,
  revision: LegacyRevision,
  sessionId: string | undefined,
  initialized: JsonObject = {},
  more: Sent["headers"] = {},
): LegacyClient {
  const version = revision < "2025-06-18" ? undefined : revision;
  const headers = { ...older, "mcp-protocol-version": version, "mcp-session-id": sessionId, ...more };
  const open: LegacyClient["open"] = (body, extra) => client.open({ headers: { ...headers, ...extra }, body });
  const post: LegacyClient["post"] = (body, extra) => client.send({ headers: { ...headers, ...extra }, body });
  return {
    sessionId,
    initialized,
    headers,
    post,
    open,
    async request(method, params, id = 1) {
      const answer = await post({ jsonrpc: "2.0", id, method, ...(params && { params }) });
      const type = answer.headers.get("content-type");
      if (type !== "text/event-stream") return answer.json();
      for await (const message of messagesOf(answer)) if (message.id === id && !("method" in message)) return message;
      throw new Error("the stream ended without a response");
    },
    get: (extra) => client.open({ verb: "GET", headers: { ...headers, accept: "text/event-stream", ...extra } }),
    delete: () => client.send({ verb: "DELETE", headers }),
  };
}

/** Without comments. */
export async function* eventsOf(answer: Answer): AsyncGenerator<RawEvent, void> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of { [Symbol.asyncIterator]: () => answer.chunks }) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) if (!block.startsWith(":")) yield toEvent(block);
  }
}

export async function* messagesOf(answer: Answer): AsyncGenerator<JsonObject, void> {
  for await (const { data } of eventsOf(answer)) if (data) yield JSON.parse(data);
}

function toEvent(block: string): RawEvent {
  const fields = block.split("\n").map((line) => {
    const end = line.indexOf(":");
    return [line.slice(0, end), line.slice(end + 1).trimStart()];
  });
  return Object.fromEntries(fields);
}

export async function take<T>(from: AsyncGenerator<T, void>): Promise<T> {
  const { value, done } = await from.next();
  if (done) throw new Error("nothing comes any more");
  return value;
}
