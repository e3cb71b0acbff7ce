// A bare client of revision 2026-07-28 without retries: one POST, one reply.
import { type Agent, type IncomingMessage, request } from "node:http";

export interface RawRequest {
  readonly method: string;
  /** The value of Mcp-Name: the tool, or the id of the task. */
  readonly name: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly capabilities?: object;
}

export interface RawReply {
  readonly status?: number;
  readonly hasRetryAfter: boolean;
  readonly result?: Record<string, unknown> | undefined;
  readonly error?:
    | { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> }
    | undefined;
  /** The reason for a reply without a JSON-RPC message. */
  readonly broken?: string;
}

export interface Target {
  readonly url: string;
  readonly key: string;
  /** After this time without a complete reply, the client gives up. */
  readonly timeoutMs: number;
  /** Its connections are used. Default: a new connection for each request. */
  readonly agent?: Agent;
}

const version = "2026-07-28";
let lastId = 0;

export function sendRaw(
  { url, key, timeoutMs, agent }: Target,
  { method, name, params, capabilities }: RawRequest,
): Promise<RawReply> {
  lastId += 1;
  const id = lastId;
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": capabilities ?? {},
    "io.modelcontextprotocol/clientInfo": { name: "faults", version: "1.0.0" },
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta } });
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": version,
    "mcp-method": method,
    "mcp-name": name,
  };
  return new Promise((resolve) => {
    const sent = request(url, { method: "POST", headers, agent: agent ?? false });
    const timer = setTimeout(() => sent.destroy(new Error(`no reply within ${timeoutMs} ms`)), timeoutMs);
    const settle = (reply: RawReply) => {
      clearTimeout(timer);
      resolve(reply);
    };
    sent.on("error", (error) => settle({ hasRetryAfter: false, broken: error.message }));
    sent.on("response", (response) => void readReply(response, id).then(settle));
    sent.end(body);
  });
}

async function readReply(response: IncomingMessage, id: number): Promise<RawReply> {
  const { statusCode: status = 0, headers } = response;
  const head = { status, hasRetryAfter: headers["retry-after"] !== undefined };
  let body = "";
  try {
    for await (const part of response.setEncoding("utf8")) body += part;
  } catch (error) {
    return { ...head, broken: `${status} cut off: ${(error as Error).message}` };
  }
  const message = messagesOf(body).find((found) => found.id === id) ?? messagesOf(body).find(({ error }) => error);
  if (!message) return { ...head, broken: `${status} without a JSON-RPC message` };
  return { ...head, ...message } as RawReply;
}

function messagesOf(body: string): Record<string, unknown>[] {
  const lines = body.startsWith("{") ? [body] : body.split("\n").filter((line) => line.startsWith("data:"));
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line.replace(/^data:/, "")) as Record<string, unknown>];
    } catch {
      return [];
    }
  });
}
