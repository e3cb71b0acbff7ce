// Sends messages over HTTP without changing the body; a test can replace every header.
import type { JsonObject } from "@lethe/protocol";
import type { FetchHandler } from "@lethe/server/edge";

export const revision = "2026-07-28";

export const envelope: JsonObject = {
  "io.modelcontextprotocol/protocolVersion": revision,
  "io.modelcontextprotocol/clientCapabilities": {},
};

export type Headers = Record<string, string | undefined>;

/** A request with the envelope in its params. */
export function requestOf(method: string, params: JsonObject = {}, id: unknown = 1): JsonObject {
  return { jsonrpc: "2.0", id, method, params: { _meta: envelope, ...params } };
}

export async function post(handle: FetchHandler, body: JsonObject, headers: Headers = {}): Promise<Response> {
  const params = body.params as JsonObject | undefined;
  const name = params?.name ?? params?.uri ?? params?.taskId;
  const all: Headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": revision,
    "mcp-method": String(body.method),
    ...(typeof name === "string" && { "mcp-name": name }),
    ...headers,
  };
  const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return await handle(
    new Request("http://localhost/mcp", { method: "POST", headers: sent, body: JSON.stringify(body) }),
  );
}

/** The messages of an answer, as one JSON object or as an event stream that has ended. */
export async function messagesOf(response: Response): Promise<JsonObject[]> {
  const text = await response.text();
  if (response.headers.get("content-type")?.startsWith("application/json")) return [JSON.parse(text)];
  return [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data as string));
}

/** The last message of the answer to a request. */
export async function ask(handle: FetchHandler, method: string, params?: JsonObject): Promise<JsonObject> {
  return (await messagesOf(await post(handle, requestOf(method, params)))).at(-1) as JsonObject;
}
