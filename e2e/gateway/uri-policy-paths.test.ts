// Rules about resources hold on every path by which a URI reaches an upstream: reads, subscriptions and completion, of clients
// of both eras, under a policy and under the lists of one upstream.
import { createServer } from "@lethe/server";
import { type Serving, serve } from "@lethe/server/node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Operated, operate } from "../../packages/gateway/src/testing/operated.ts";

const denial = "file:///data/secret*";
const spellings = [
  ...[
    "file:///data/secret.txt",
    "file:////data/secret.txt",
    "file:///data//secret.txt",
    "file:///data/pub/../secret.txt",
  ],
  ...["file:///data/pub/..%2fsecret.txt", "file:///data/%73ecret.txt", "file:///data/pub/%252e%252e/secret.txt"],
  ...["file:///data/Secret.txt", "file:///data\\secret.txt", "file:/data/secret.txt", "file:///data/secret.txt%00"],
];
const open = "file:///data/public.txt";

/** The URI of each request that names one, by its method. */
const received: string[] = [];
let upstream: Serving;
beforeAll(async () => {
  const server = createServer({ name: "files", version: "1.0.0" });
  server.resourceTemplate("file:{+path}", {
    name: "file",
    handler: ({ path }) => `content of ${path}`,
    complete: { path: () => ["/data/public.txt"] },
  });
  server.use((next) => (request, exchange) => {
    const { uri, ref, notifications } = request.params as {
      uri?: string;
      ref?: { uri: string };
      notifications?: { resourceSubscriptions?: string[] };
    };
    for (const one of [uri, ref?.uri, ...(notifications?.resourceSubscriptions ?? [])]) if (one) received.push(one);
    return next(request, exchange);
  });
  upstream = await serve(server, { port: 0 });
});
afterAll(() => upstream.close({ graceMs: 0 }));

const gateways = {
  "a policy": { policy: [{ effect: "deny", resources: [denial] }, { effect: "allow" }] },
  "the lists of an upstream": { upstreams: { files: { resources: { deny: [denial] } } } },
};

type Ask = (gateway: Operated, uri: string) => Promise<unknown>;

const argument = { name: "path", value: "" };
const modern: [string, Ask][] = [
  ["resources/read", (gateway, uri) => gateway.ask("resources/read", { uri })],
  [
    "resources/read on the endpoint of the upstream",
    (gateway, uri) => gateway.ask("resources/read", { uri }, { path: "/mcp/files" }),
  ],
  [
    "completion/complete",
    (gateway, uri) => gateway.ask("completion/complete", { ref: { type: "ref/resource", uri }, argument }),
  ],
];

interface OldSession {
  readonly headers: Record<string, string>;
  ask(method: string, params: object): Promise<string>;
}

/** A session of a client of 2025-11-25. */
async function beginOldSession({ served }: Operated): Promise<OldSession> {
  const send = (message: object, more = {}) =>
    fetch(served.url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...more },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
  const clientInfo = { name: "old", version: "1" };
  const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const begun = await send({ id: 0, method: "initialize", params: initialize });
  await begun.text();
  const id = begun.headers.get("mcp-session-id") ?? "";
  const headers = { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" };
  let last = 0;
  return {
    headers,
    async ask(method, params) {
      last += 1;
      return (await send({ id: last, method, params }, headers)).text();
    },
  };
}

async function askOldStyle(gateway: Operated, method: string, params: object): Promise<string> {
  return (await beginOldSession(gateway)).ask(method, params);
}

const old: [string, Ask][] = [
  ["resources/read", (gateway, uri) => askOldStyle(gateway, "resources/read", { uri })],
  [
    "completion/complete",
    (gateway, uri) => askOldStyle(gateway, "completion/complete", { ref: { type: "ref/resource", uri }, argument }),
  ],
];

/** A stream that stays open until it has been acknowledged. */
async function listen({ served }: Operated, uris: readonly string[]): Promise<string> {
  const response = await fetch(served.url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "subscriptions/listen",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "subscriptions/listen",
      params: {
        notifications: { resourceSubscriptions: uris },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }),
  });
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += new TextDecoder().decode(chunk);
    if (text.includes("\n\n")) break;
  }
  return text;
}

describe.each(Object.entries(gateways))("a denied file under %s", (_name, block) => {
  let gateway: Operated;
  beforeAll(async () => {
    gateway = await operate({ mcpServers: { files: { url: upstream.url } }, gateway: block });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  it.each([...modern, ...old.map(([name, ask]): [string, Ask] => [`${name} of 2025-11-25`, ask])])(
    "a caller cannot reach a denied file by %s in any spelling, but can reach another file",
    async (_method, ask) => {
      received.length = 0;
      for (const uri of spellings) await ask(gateway, uri);
      expect(received).toEqual([]);
      await ask(gateway, open);
      expect(received).toEqual([open]);
    },
  );

  it("a caller cannot reach a denied file by subscriptions/listen in any spelling, but can reach another file", async () => {
    received.length = 0;
    const acknowledged = await listen(gateway, [...spellings, open]);
    expect(acknowledged).toContain(open);
    expect(spellings.filter((uri) => acknowledged.includes(JSON.stringify(uri)))).toEqual([]);
    expect(new Set(received)).toEqual(new Set([open]));
  });

  it("a caller cannot reach a denied file by resources/subscribe of 2025-11-25 in any spelling, but can reach another file", async () => {
    received.length = 0;
    const { headers, ask } = await beginOldSession(gateway);
    const stop = new AbortController();
    // Updates go to the GET stream, so a subscription takes effect only while there is one.
    await fetch(gateway.served.url, { headers: { ...headers, accept: "text/event-stream" }, signal: stop.signal });
    try {
      for (const uri of [...spellings, open]) await ask("resources/subscribe", { uri });
      await vi.waitUntil(() => received.includes(open), { timeout: 20_000 });
      expect(new Set(received)).toEqual(new Set([open]));
    } finally {
      stop.abort();
    }
  });
});
