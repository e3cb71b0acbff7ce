// A request of the live list as something to use elsewhere: a command, an HTTP archive, a test.
import type { ExchangeDetail, Step } from "../admin/admin-api.ts";

const revision = "2026-07-28";

/** Headers that curl sets, and those of a connection that another client had. */
const notCopied: ReadonlySet<string> = new Set(["host", "content-length", "x-forwarded-for", "mcp-session-id"]);

/** The request as a caller of the newest revision sends it, with the recorded headers. `origin` is that of the gateway. */
export function toCurl(exchange: ExchangeDetail, origin: string): string {
  const { method, name, endpoint } = exchange;
  const required = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": revision,
    "mcp-method": method,
    ...(name !== undefined && { "mcp-name": name }),
  };
  const recorded = Object.entries(sentStep(exchange)?.headers ?? {}).filter(([header]) => !notCopied.has(header));
  const headers = [
    // A request of an older revision is repeated in the newest one.
    ...Object.entries({ ...Object.fromEntries(recorded), ...required }).map(([header, value]) => `${header}: ${value}`),
    ...(exchange.caller === undefined ? [] : ["authorization: Bearer $KEY"]),
  ];
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: paramsOf(exchange) });
  return [`curl ${origin}${endpoint}`, ...headers.map((header) => `-H ${quoted(header)}`), `-d ${quoted(body)}`].join(
    " \\\n  ",
  );
}

/** What the caller sent. */
function sentStep({ steps }: ExchangeDetail): Step | undefined {
  return steps.find(({ from }) => from === "caller");
}

/** Without recorded bodies, the arguments are not known. */
function paramsOf({ params, method, name }: ExchangeDetail): object {
  const meta = { [metaKey("protocolVersion")]: revision, [metaKey("clientCapabilities")]: {} };
  if (typeof params === "object" && params !== null) return { ...params, _meta: meta };
  const target = name === undefined ? {} : method === "resources/read" ? { uri: name } : { name };
  return { ...target, ...(method === "tools/call" && { arguments: {} }), _meta: meta };
}

function metaKey(name: string): string {
  return `io.modelcontextprotocol/${name}`;
}

/** For a POSIX shell. `$KEY` stays a variable. */
function quoted(text: string): string {
  return text.endsWith("$KEY") ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`;
}

/** An HTTP archive (HAR 1.2) of the messages between caller and gateway, and of those between gateway and upstream. */
export function toHar(exchanges: readonly ExchangeDetail[], origin: string): string {
  const entries = exchanges.flatMap((exchange) => [toCallerEntry(exchange, origin), ...toUpstreamEntries(exchange)]);
  return JSON.stringify(
    { log: { version: "1.2", creator: { name: "Lethe console", version: "0.1.0" }, entries } },
    null,
    2,
  );
}

interface Message {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
}

interface Entry {
  readonly time: string;
  readonly ms: number;
  readonly url: string;
  readonly sent: Message;
  readonly received: Message & { readonly status?: number | undefined };
}

function toCallerEntry(exchange: ExchangeDetail, origin: string): object {
  const { time, ms, endpoint, steps } = exchange;
  const sent = sentStep(exchange);
  const received = steps.findLast(({ to }) => to === "caller");
  return toEntry({
    ...{ time, ms, url: `${origin}${endpoint}` },
    sent: { headers: sent?.headers, body: sent?.body ?? exchange.params },
    received: { body: received?.body ?? exchange.result ?? exchange.error },
  });
}

/** A message with headers was one over HTTP. */
function toUpstreamEntries({ time, steps }: ExchangeDetail): object[] {
  return steps.flatMap((sent, index) => {
    if (!sent.to.startsWith("upstream:") || !sent.headers) return [];
    const received = steps.slice(index + 1).find(({ from }) => from === sent.to);
    return toEntry({
      time: new Date(Date.parse(time) + sent.at).toISOString(),
      ms: received ? received.at - sent.at : 0,
      url: `http://${sent.headers.host ?? sent.to.slice("upstream:".length)}/`,
      ...{ sent, received: received ?? {} },
    });
  });
}

function toEntry({ time, ms, url, sent, received }: Entry): object {
  const text = toText(received.body);
  const common = { httpVersion: "HTTP/1.1", cookies: [], headersSize: -1, bodySize: -1 };
  return {
    ...{ startedDateTime: time, time: ms, cache: {}, timings: { send: 0, wait: ms, receive: 0 } },
    request: {
      ...{ method: "POST", url, queryString: [], ...common, headers: toPairs(sent.headers) },
      postData: { mimeType: "application/json", text: toText(sent.body) },
    },
    response: {
      ...{ status: received.status ?? 200, statusText: "", redirectURL: "", ...common },
      headers: toPairs(received.headers),
      content: { size: text.length, mimeType: received.headers?.["content-type"] ?? "application/json", text },
    },
  };
}

function toPairs(headers: Message["headers"] = {}): { name: string; value: string }[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}

function toText(body: unknown): string {
  return body === undefined ? "" : JSON.stringify(body);
}

/** A test for Vitest that repeats the request with @lethe/client. */
export function toTest(exchange: ExchangeDetail, origin: string): string {
  const { method, name, outcome } = exchange;
  const params = (exchange.params ?? {}) as { arguments?: unknown };
  const args = JSON.stringify(params.arguments ?? {}, null, 2).replaceAll("\n", "\n  ");
  const calls: Readonly<Record<string, string>> = {
    "tools/call": `client.callTool(${JSON.stringify(name)}, ${args})`,
    "prompts/get": `client.getPrompt(${JSON.stringify(name)}, ${args})`,
    "resources/read": `client.readResource(${JSON.stringify(name)})`,
  };
  const call = calls[method] ?? `client.request(${JSON.stringify(method)})`;
  const expected =
    outcome === "error"
      ? [`  await expect(${call}).rejects.toMatchObject({ code: ${exchange.code} });`]
      : [
          `  const result = await ${call};`,
          method === "tools/call"
            ? `  expect(result.isError ?? false).toBe(${outcome === "tool_error"});`
            : "  expect(result).toBeDefined();",
        ];
  return [
    'import { connect } from "@lethe/client";',
    'import { expect, it } from "vitest";',
    "",
    `it(${JSON.stringify(`answers ${method}${name === undefined ? "" : ` of ${name}`}`)}, async () => {`,
    `  await using client = await connect(${JSON.stringify(`${origin}${exchange.endpoint}`)});`,
    ...expected,
    "});",
    "",
  ].join("\n");
}
