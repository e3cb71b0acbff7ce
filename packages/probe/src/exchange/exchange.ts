// One exchange with a server as it was seen: what was sent, what came back, how long it took. Raw: reports mask it.
import type { JsonObject, JsonRpcErrorObject } from "@lethe/protocol";

export interface Exchange {
  /** From 1, in the order of sending: what the sentences of a report refer to. */
  readonly number: number;
  /** In words: "tools/list without a session id". */
  readonly what: string;
  readonly sent: Sent;
  /** The HTTP status; absent on stdio and when none came. */
  readonly status?: number;
  /** The answer's headers that tell something, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The beginning of what came, at most `keptBody`. */
  readonly body: string;
  readonly answer: Answer;
  /** The methods of the requests that the server sent to us meanwhile. */
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
  /** A JSON-RPC error, under whatever HTTP status. */
  | { readonly kind: "error"; readonly error: JsonRpcErrorObject }
  /** An answer that is no JSON-RPC response to our request: its status and body are all there is. */
  | { readonly kind: "other" }
  | { readonly kind: "none"; readonly reason: Silence; readonly message: string };

/** Why no answer came. */
export type Silence = "timeout" | "unreachable" | "lost" | "exited" | "not-mcp";

export const sessionHeader = "mcp-session-id";

/** How much of a body is kept, in UTF-16 code units. */
export const keptBody = 4_096;

/** What of the answer's headers goes into the evidence. */
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

/** The id of a session that the answer mentions, whatever its status. */
export function sessionIdOf(exchange: Exchange): string | undefined {
  return exchange.headers[sessionHeader] || undefined;
}
