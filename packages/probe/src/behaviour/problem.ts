// Answers that say nothing of sessions and eras: with them a probe knows no more than that, and what to do about it.
import type { Exchange } from "../exchange/exchange.ts";

export interface Problem {
  readonly reason: ProblemReason;
  readonly message: string;
  /** What the person who probes can do. */
  readonly advice: string;
  /** The number of the exchange that showed it. */
  readonly exchange?: number;
}

/** Stable: compare by these. */
export type ProblemReason =
  | "unauthorized"
  | "forbidden"
  | "redirect"
  | "rate-limited"
  | "unavailable"
  | "timeout"
  | "unreachable"
  | "lost"
  | "exited"
  | "not-mcp"
  /** It speaks MCP and refuses what every client must be able to do. */
  | "refused"
  /** The same request was answered differently for no reason that we gave. */
  | "unstable"
  | "no-common-revision"
  | "budget";

const adviceToAuthorize =
  "give credentials: a token in the environment variable LETHE_TOKEN, or --header 'Authorization: Bearer …'";
const unavailableAdvice =
  "something in front of the server, or the server itself, is broken or overloaded: try again later";

/** Undefined when the exchange is the server's own word, yes or no. */
export function problemOf(exchange: Exchange): Problem | undefined {
  const { answer, status = 0, what, number } = exchange;
  const problem = (reason: ProblemReason, message: string, advice: string): Problem => ({
    ...{ reason, message: `${what}: ${message}`, advice },
    exchange: number,
  });
  if (answer.kind === "result") return undefined;
  if (answer.kind === "none") return problem(answer.reason, answer.message, silenceAdvice[answer.reason]);
  if (status === 401) return problem("unauthorized", "401", adviceToAuthorize);
  if (status === 403) {
    return problem(
      "forbidden",
      "403",
      "the credentials are too weak, or the server checks Host: use the name that it prints",
    );
  }
  if (status === 429) return problem("rate-limited", `429${retryAfter(exchange)}`, "try again later");
  if (status >= 300 && status < 400) {
    const location = exchange.headers.location;
    return problem(
      "redirect",
      `${status}, to ${location ?? "nowhere"}`,
      "probe the address that it points to, when you trust it",
    );
  }
  if (answer.kind === "error") return undefined;
  if (status >= 502 && status <= 504)
    return problem("unavailable", `${status}${retryAfter(exchange)}`, unavailableAdvice);
  if (status >= 200 && status < 300) {
    const type = exchange.headers["content-type"] ?? "no content type";
    return problem(
      "not-mcp",
      `${status} with ${type}, and no MCP message in it`,
      "check the path; a login page also looks like this",
    );
  }
  return undefined;
}

const silenceAdvice = {
  timeout: "see whether the server hangs; give it longer with --timeout, or --start-timeout for a command",
  unreachable: "see whether it runs, and whether scheme, name, port and certificate are right",
  lost: "the connection broke: see the server's log",
  exited: "see why the process ends: run the command by hand",
  "not-mcp": "check the command and its arguments: the program is not an MCP server",
} as const;

function retryAfter({ headers }: Exchange): string {
  const value = headers["retry-after"];
  return value === undefined ? "" : `, retry after ${value}`;
}

/** It did what was asked. */
export function isOk({ answer }: Exchange): boolean {
  return answer.kind === "result";
}

/**
 * The server itself said no. 401 and 403 count only where the same request had just been answered with a session id: there
 * the missing id is the reason (a 401 may mean a missing session), anywhere else they are a problem.
 */
export function isRefusal(exchange: Exchange): boolean {
  const reason = problemOf(exchange)?.reason;
  if (reason === "unauthorized" || reason === "forbidden") return true;
  return reason === undefined && !isOk(exchange);
}

/** Nobody would get further with the next request either. */
export function endsProbe(exchange: Exchange): boolean {
  const reason = problemOf(exchange)?.reason;
  return reason === "redirect" || reason === "rate-limited" || reason === "unreachable";
}

/** An answer in few words: "400 -32000", "200", "no answer". */
export function inShort({ status, answer }: Exchange): string {
  if (answer.kind === "none") return answer.reason;
  if (answer.kind === "error")
    return [status, `error ${answer.error.code}`].filter((part) => part !== undefined).join(" ");
  if (status !== undefined) return String(status);
  return answer.kind === "result" ? "answered" : "sent";
}
