// Cross-origin calls by web pages (J-46). Only for origins that the guard let in.
import type { HttpAnswer } from "./answers.ts";

const requestHeaders = [
  "Content-Type",
  "Accept",
  "Authorization",
  "MCP-Protocol-Version",
  "Mcp-Method",
  "Mcp-Name",
  "Mcp-Session-Id",
  "Last-Event-ID",
];
const paramHeader = /^mcp-param-[a-z0-9!#$%&'*+.^_`|~-]+$/i;

/** What every answer to such a page carries. */
export function toCorsHeaders(origin: string): Record<string, string> {
  return {
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Expose-Headers": "WWW-Authenticate, Mcp-Session-Id",
    Vary: "Origin",
  };
}

/** The answer to a preflight. `asked` is its `Access-Control-Request-Headers`: a wildcard does not cover Mcp-Param-*. */
export function toPreflightAnswer(asked: string | undefined, verbs: string): HttpAnswer {
  const params = (asked ?? "").split(",").flatMap((name) => (paramHeader.test(name.trim()) ? [name.trim()] : []));
  return {
    status: 204,
    headers: {
      "Access-Control-Allow-Methods": verbs,
      "Access-Control-Allow-Headers": [...requestHeaders, ...params].join(", "),
      "Access-Control-Max-Age": "7200",
    },
    body: "",
  };
}
