// CORS headers and preflight answers (J-46), for origins that the guard allows.
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
  "Lethe-Affinity",
  "traceparent",
  "tracestate",
  "baggage",
];
const paramHeader = /^mcp-param-[a-z0-9!#$%&'*+.^_`|~-]+$/i;

/** The headers of every answer to a request with an allowed origin. */
export function toCorsHeaders(origin: string): Record<string, string> {
  return {
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Expose-Headers": "WWW-Authenticate, Mcp-Session-Id, Lethe-Affinity",
    Vary: "Origin",
  };
}

/** The answer to a preflight. `requested` is its `Access-Control-Request-Headers`: a wildcard would not cover Mcp-Param-*. */
export function toPreflightAnswer(requested: string | undefined, verbs: string): HttpAnswer {
  const params = (requested ?? "").split(",").flatMap((name) => (paramHeader.test(name.trim()) ? [name.trim()] : []));
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
