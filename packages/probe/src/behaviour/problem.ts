// Problems: answers that show nothing about eras and sessions, with advice for the user.
import type { Exchange } from "../exchange/exchange.ts";

/** Why a probe could not decide, and what the user can do. */
export interface Problem {
  readonly reason: ProblemReason;
  readonly message: string;
  /** What the user can do. */
  readonly advice: string;
  /** The number of the exchange that shows it. */
  readonly exchange?: number;
}

/** Stable names for comparison. */
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
  /** The server speaks MCP and refuses a request that every client may send. */
  | "refused"
  /** The same request got different answers. */
  | "unstable"
  | "no-common-revision"
  | "budget";

const adviceToAuthorize =
  "give credentials: a token in the environment variable LETHE_TOKEN, or --header 'Authorization: Bearer …'";
const unavailableAdvice =
  "something in front of the server, or the server itself, is broken or overloaded: try again later";

/** Returns undefined if the exchange is a proper answer of the server, positive or negative. */
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
      "the credentials are insufficient, or the server checks Host: use the name that it prints",
    );
  }
  if (status === 429) return problem("rate-limited", `429${retryAfter(exchange)}`, "try again later");
  if (status >= 300 && status < 400) {
    const location = exchange.headers.location;
    return problem(
      "redirect",
      `${status}, to ${location ?? "nowhere"}`,
      "probe the address that it points to, if you trust it",
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
  timeout: "check whether the server hangs; raise --timeout, or --start-timeout for a command",
  unreachable: "check that it runs, and that scheme, name, port and certificate are correct",
  lost: "the connection broke: see the server's log",
  exited: "run the command by hand to see why the process ends",
  "not-mcp": "check the command and its arguments: the program is not an MCP server",
} as const;

function retryAfter({ headers }: Exchange): string {
  const value = headers["retry-after"];
  return value === undefined ? "" : `, retry after ${value}`;
}

/** The request succeeded. */
export function isOk({ answer }: Exchange): boolean {
  return answer.kind === "result";
}

/**
 * The server refused the request. 401 and 403 count only if the same request was just answered with a session id, because then
 * the missing id is the reason. Otherwise they are a problem.
 */
export function isRefusal(exchange: Exchange): boolean {
  const reason = problemOf(exchange)?.reason;
  if (reason === "unauthorized" || reason === "forbidden") return true;
  return reason === undefined && !isOk(exchange);
}

/** True if the next request would fail in the same way. */
export function endsProbe(exchange: Exchange): boolean {
  const reason = problemOf(exchange)?.reason;
  return reason === "redirect" || reason === "rate-limited" || reason === "unreachable";
}

/** A short form of an answer: "400 -32000", "200", "no answer". */
export function inShort({ status, answer }: Exchange): string {
  if (answer.kind === "none") return answer.reason;
  if (answer.kind === "error")
    return [status, `error ${answer.error.code}`].filter((part) => part !== undefined).join(" ");
  if (status !== undefined) return String(status);
  return answer.kind === "result" ? "answered" : "sent";
}
