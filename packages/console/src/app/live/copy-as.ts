// A request of the live list as something to use elsewhere: a command, an HTTP archive, a test.
import type { ExchangeDetail } from "../admin/admin-api.ts";

const revision = "2026-07-28";

/** The request as a caller of the newest revision sends it. `origin` is that of the gateway. */
export function toCurl(exchange: ExchangeDetail, origin: string): string {
  const { method, name, endpoint } = exchange;
  const headers = [
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    `MCP-Protocol-Version: ${revision}`,
    `Mcp-Method: ${method}`,
    ...(name === undefined ? [] : [`Mcp-Name: ${name}`]),
    ...(exchange.caller === undefined ? [] : ["Authorization: Bearer $KEY"]),
  ];
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: paramsOf(exchange) });
  return [`curl ${origin}${endpoint}`, ...headers.map((header) => `-H ${quoted(header)}`), `-d ${quoted(body)}`].join(
    " \\\n  ",
  );
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

/** An HTTP archive (HAR 1.2) of the messages between caller and gateway. */
export function toHar(exchanges: readonly ExchangeDetail[], origin: string): string {
  const entries = exchanges.map((exchange) => {
    const { time, ms, endpoint, steps } = exchange;
    const sent = steps.find(({ from, kind }) => from === "caller" && kind === "request");
    const received = steps.findLast(({ to }) => to === "caller");
    return {
      ...{ startedDateTime: time, time: ms, cache: {}, timings: { send: 0, wait: ms, receive: 0 } },
      request: {
        ...{ method: "POST", url: `${origin}${endpoint}`, httpVersion: "HTTP/1.1", cookies: [], queryString: [] },
        ...{ headers: [], headersSize: -1, bodySize: -1 },
        postData: { mimeType: "application/json", text: toText(sent?.body ?? exchange.params) },
      },
      response: {
        ...{ status: 200, statusText: "OK", httpVersion: "HTTP/1.1", cookies: [], redirectURL: "" },
        ...{ headers: [], headersSize: -1, bodySize: -1 },
        content: {
          ...{ size: -1, mimeType: "application/json" },
          text: toText(received?.body ?? exchange.result ?? exchange.error),
        },
      },
    };
  });
  return JSON.stringify(
    { log: { version: "1.2", creator: { name: "Lethe console", version: "0.1.0" }, entries } },
    null,
    2,
  );
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
