// Calls a server in a test through its fetch handler and returns every message as received.
import {
  createSseDecoder,
  type JsonObject,
  type ModernRequest,
  metaKey,
  modelRevision,
  parseParamHeaders,
  toMirroredHeaders,
  toParamHeaders,
} from "@lethe/protocol";

export type Handle = (request: Request) => Response | Promise<Response>;

export interface WireClientOptions {
  /** The bearer token. */
  token?: string;
  /** Client capabilities. Default: elicitation, sampling and roots. */
  capabilities?: JsonObject;
  /** Added to `_meta` of every request. */
  meta?: JsonObject;
  /** Input schemas by tool, for those that mirror parameters into headers. */
  inputSchemas?: Readonly<Record<string, JsonObject>>;
  /** Called with every received message and the method of its request. */
  onMessage?: (message: JsonObject, method: string) => void;
}

/** The complete response to one request. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** All messages in order of arrival. The response is the last. */
  readonly messages: readonly JsonObject[];
  readonly result: JsonObject | undefined;
  readonly error: JsonObject | undefined;
}

/** Responds to an input request. */
export type Respond = (key: string, question: JsonObject) => unknown;

export interface WireClient {
  /** With `respond`, answers input requests until the call completes. */
  ask(method: string, params?: JsonObject, respond?: Respond): Promise<Answer>;
  callTool(name: string, args?: JsonObject, more?: JsonObject): Promise<Answer>;
  converse(name: string, args: JsonObject, respond: Respond): Promise<Answer>;
  /** Yields the messages of a stream until the consumer stops. */
  listen(notifications: JsonObject): AsyncGenerator<JsonObject>;
}

const listenMethod = "subscriptions/listen";
const allCapabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

export function createWireClient(handle: Handle, options: WireClientOptions = {}): WireClient {
  const { token, capabilities = allCapabilities, meta, inputSchemas = {}, onMessage } = options;
  let lastId = 0;

  async function send(method: string, params: JsonObject): Promise<Response> {
    lastId += 1;
    const _meta = {
      [metaKey.protocolVersion]: modelRevision,
      [metaKey.clientInfo]: { name: "wire-client", version: "1.0.0" },
      [metaKey.clientCapabilities]: capabilities,
      ...meta,
    };
    const request: ModernRequest = { id: lastId, method, params: { ...params, _meta } };
    const schema = inputSchemas[String(params.name)];
    const headers = new Headers({
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...toMirroredHeaders(request),
      ...(schema && toParamHeaders(parseParamHeaders(schema), params.arguments as JsonObject)),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    });
    const body = JSON.stringify({ jsonrpc: "2.0", ...request });
    return handle(new Request("http://127.0.0.1/mcp", { method: "POST", headers, body }));
  }

  async function* receive(response: Response, method: string): AsyncGenerator<JsonObject> {
    for await (const message of messagesOf(response)) {
      onMessage?.(message, method);
      yield message;
    }
  }

  async function askOnce(method: string, params: JsonObject): Promise<Answer> {
    const response = await send(method, params);
    const messages: JsonObject[] = [];
    for await (const message of receive(response, method)) messages.push(message);
    const { result, error } = messages.at(-1) ?? {};
    const { status, headers } = response;
    return { status, headers, messages, result: result as JsonObject, error: error as JsonObject };
  }

  const ask: WireClient["ask"] = async (method, params = {}, respond) => {
    let answer = await askOnce(method, params);
    while (respond && answer.result?.resultType === "input_required") {
      const { inputRequests = {}, requestState } = answer.result;
      const asked = Object.entries(inputRequests as { [key: string]: JsonObject });
      const inputResponses = Object.fromEntries(asked.map(([key, question]) => [key, respond(key, question)]));
      answer = await askOnce(method, { ...params, inputResponses, requestState });
    }
    return answer;
  };

  return {
    ask,
    callTool: (name, args = {}, more = {}) => ask("tools/call", { name, arguments: args, ...more }),
    converse: (name, args, respond) => ask("tools/call", { name, arguments: args }, respond),
    async *listen(notifications) {
      yield* receive(await send(listenMethod, { notifications }), listenMethod);
    },
  };
}

/** Yields the messages of a JSON response or an event stream. Leaving the loop cancels the request. */
async function* messagesOf(response: Response): AsyncGenerator<JsonObject> {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    const text = await response.text();
    if (text !== "") yield JSON.parse(text);
    return;
  }
  const decoder = createSseDecoder();
  const text = new TextDecoder();
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      for (const event of decoder.push(text.decode(chunk.value, { stream: true }))) yield JSON.parse(event.data);
    }
  } finally {
    await reader.cancel();
  }
}
