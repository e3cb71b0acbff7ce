// Finished HTTP answers as plain data, so that the fetch and the node:http edges say the same (A.5, A-48).
import { errorCode, httpStatusOf, isMcpError, McpError, type RequestId } from "@lethe/protocol";
import { toErrorText } from "./response-text.ts";

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** B-7 */
export const acceptedAnswer: HttpAnswer = { status: 202, headers: {}, body: "" };

export const notFoundAnswer: HttpAnswer = {
  status: 404,
  headers: { "Content-Type": "text/plain" },
  body: "not found",
};

/** Shared by all answers that need no other: an edge may know it by identity. */
export const jsonHeaders: Readonly<Record<string, string>> = { "Content-Type": "application/json" };

export function toJsonAnswer(status: number, body: string, headers?: Readonly<Record<string, string>>): HttpAnswer {
  return { status, headers: headers ? { ...jsonHeaders, ...headers } : jsonHeaders, body };
}

/** A refusal that is about HTTP and not about a message: its JSON-RPC error has no id. */
export function toRefusal(status: number, message: string, headers?: Readonly<Record<string, string>>): HttpAnswer {
  return toJsonAnswer(status, toErrorText(undefined, new McpError(errorCode.invalidRequest, message)), headers);
}

export interface ErrorAnswerOptions {
  /** Overrides the table, for an error that it cannot tell from another. */
  status?: number;
  headers?: Readonly<Record<string, string>>;
}

/** What a failed request answers. */
export function toErrorAnswer(thrown: unknown, id: RequestId | undefined, options?: ErrorAnswerOptions): HttpAnswer {
  const error = toWireError(thrown);
  const text = toErrorText(id, error);
  const challenge = challengeOf(thrown);
  if (challenge) return toJsonAnswer(challenge.status, text, { "WWW-Authenticate": challenge.wwwAuthenticate });
  return toJsonAnswer(options?.status ?? httpStatusOf(error.code), text, options?.headers);
}

/** The error as the peer may see it. */
export function toWireError(thrown: unknown): McpError {
  const challenge = challengeOf(thrown);
  return challenge ? new McpError(errorCode.invalidRequest, challenge.message) : McpError.from(thrown);
}

/** True for an error that a peer may not see, and that the log therefore has to show. */
export function isInternal(thrown: unknown): boolean {
  return !isMcpError(thrown) && challengeOf(thrown) === undefined;
}

interface Challenge {
  status: number;
  message: string;
  wwwAuthenticate: string;
}

/** G-3, G-4: an error of authorization is known by what it carries, so that any copy of its class will do. */
function challengeOf(thrown: unknown): Challenge | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { wwwAuthenticate, status } = thrown as { wwwAuthenticate?: unknown; status?: unknown };
  if (typeof wwwAuthenticate !== "string") return undefined;
  if (status === 401) return { status, message: "authentication required", wwwAuthenticate };
  if (status === 400) return { status, message: "malformed authorization", wwwAuthenticate };
  return { status: 403, message: "insufficient scope", wwwAuthenticate };
}
