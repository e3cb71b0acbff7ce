// One exchange with a server: the request, the answer and the duration. Unmasked: reports mask it.
import type { JsonObject, JsonRpcErrorObject } from "@lethe/protocol";

export interface Exchange {
  /** Counted from 1 in the order of sending. Reasons in a report refer to it. */
  readonly number: number;
  /** A description, such as "tools/list without a session id". */
  readonly what: string;
  readonly sent: Sent;
  /** The HTTP status. Absent on stdio and without a response. */
  readonly status?: number;
  /** The relevant headers of the answer, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first `keptBody` characters of the answer. */
  readonly body: string;
  readonly answer: Answer;
  /** Methods of the requests that the server sent meanwhile. */
  readonly asked: readonly string[];
  readonly ms: number;
}

export interface Sent {
  readonly via: "POST" | "GET" | "DELETE" | "stdin";
  /** The URL or the command line. */
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type Answer =
  | { readonly kind: "result"; readonly result: JsonObject }
  /** A JSON-RPC error, under any HTTP status. */
  | { readonly kind: "error"; readonly error: JsonRpcErrorObject }
  /** An answer without a JSON-RPC response to the request, such as an error page. */
  | { readonly kind: "other" }
  | { readonly kind: "none"; readonly reason: Silence; readonly message: string };

/** Why there is no answer. */
export type Silence = "timeout" | "unreachable" | "lost" | "exited" | "not-mcp";

export const sessionHeader = "mcp-session-id";

/** The length of the recorded part of a body, in UTF-16 code units. */
export const keptBody = 4_096;

/** The headers of an answer that are part of the evidence. */
export const toldHeaders: readonly string[] = [
  "content-type",
  sessionHeader,
  "mcp-protocol-version",
  "www-authenticate",
  "location",
  "retry-after",
  "allow",
  "set-cookie",
  "server",
  "via",
  "x-powered-by",
];

/** The session id that an answer mentions, under any status. */
export function sessionIdOf(exchange: Exchange): string | undefined {
  return exchange.headers[sessionHeader] || undefined;
}
