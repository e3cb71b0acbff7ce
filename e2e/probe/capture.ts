// Records the responses of servers to plain fetch, without code of the project: the ground truth of the probe tests.

export interface Captured {
  /** Statuses, and the JSON-RPC error code where there was one. */
  discover: string;
  initialize: string;
  /** tools/list after it: with the session id (if there is one), without, and with an unknown one. */
  trials: readonly string[];
  hasId: boolean;
}

export async function capture(url: string): Promise<Captured> {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const modern = { "mcp-protocol-version": "2026-07-28", "mcp-method": "server/discover" };
  const discover = await ask(url, "server/discover", { _meta: meta }, modern);
  const clientInfo = { name: "capture", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const initialize = await ask(url, "initialize", params);
  const id = initialize.sessionId;
  const legacy = { "mcp-protocol-version": "2025-11-25" };
  const own = id === null ? legacy : { ...legacy, "mcp-session-id": id };
  await post(url, { jsonrpc: "2.0", method: "notifications/initialized" }, own).then((answer) => answer.body?.cancel());
  const trials: string[] = [];
  for (const headers of [own, legacy, { ...legacy, "mcp-session-id": crypto.randomUUID() }]) {
    trials.push((await ask(url, "tools/list", {}, headers)).told);
  }
  if (id !== null) await fetch(url, { method: "DELETE", headers: own }).then((answer) => answer.body?.cancel());
  return { discover: discover.told, initialize: initialize.told, trials, hasId: id !== null };
}

async function ask(url: string, method: string, params: unknown, headers: Record<string, string> = {}) {
  const answer = await post(url, { jsonrpc: "2.0", id: 1, method, params }, headers);
  const text = await answer.text();
  const code = /"error":\{.*?"code":(-?\d+)/.exec(text)?.[1];
  const told = [answer.status, code].filter((part) => part !== undefined).join(" ");
  return { told, sessionId: answer.headers.get("mcp-session-id") };
}

function post(url: string, message: unknown, headers: Record<string, string>): Promise<Response> {
  const accept = "application/json, text/event-stream";
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept, ...headers },
    body: JSON.stringify(message),
  });
}
