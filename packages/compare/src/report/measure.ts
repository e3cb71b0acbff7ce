// Measures the cost of a transport from its recording alone.
import { isJsonObject } from "@lethe/protocol";
import { firstResultMsOf, firstResultOf } from "../record/first-result.ts";
import { headerOf } from "../record/http-parser.ts";
import { describeMessage, parseAll, toMessages } from "../record/messages.ts";
import type { HttpExchange, Recording } from "../record/recording.ts";

export type Counts = Readonly<Record<string, number>>;

/** What a recording shows: endpoints, sessions, requests, bytes and times in ms. */
export interface Measures {
  /** "POST /mcp", or "stdin and stdout" for a process. */
  readonly endpoints: readonly string[];
  /** The state that ties requests together: "none", "Mcp-Session-Id on 4 of 5 requests". */
  readonly session: string;
  readonly hasSession: boolean;
  /** Event streams during which the client sent other requests. Each occupies a connection and a server instance. */
  readonly longLived: readonly { readonly what: string; readonly ms: number }[];
  readonly connections: number;
  /** HTTP requests by verb, or the lines of a process by sender. */
  readonly requests: Counts;
  readonly statuses: Counts;
  readonly contentTypes: Counts;
  readonly cacheHeaders: Counts;
  /** Cache hints in results: "ttlMs 0 private". */
  readonly cacheHints: Counts;
  readonly bytesUp: number;
  readonly bytesDown: number;
  readonly messages: number;
  /** Requests, or lines, that the client sent. */
  readonly sent: number;
  /** Requests, or lines, that the client sent up to and including the first tool call that succeeded. */
  readonly sentToFirstResult: number | undefined;
  /** Time from the start of the connection, including the start of a process, to the first tool result: the median of all runs. */
  readonly firstResultMs: number | undefined;
  /** The same of each run, in ascending order. */
  readonly firstResults: readonly number[];
  readonly totalMs: number;
}

export function measure(recording: Recording): Measures {
  const { exchanges, lines, steps, endedAt } = recording;
  const first = firstResultOf(recording);
  const own = firstResultMsOf(recording);
  const firstResults = own === undefined ? [] : [own, ...(recording.repeatedFirstResultMs ?? [])].sort((a, b) => a - b);
  const begin = steps[0]?.startedAt ?? 0;
  const isSent = lines.filter(({ sender }) => sender === "client");
  const sends = [...exchanges.map(({ startedAt }) => startedAt), ...isSent.map(({ at }) => at)];
  const session = sessionOf(recording);
  return {
    endpoints: recording.transport === "stdio" ? ["stdin and stdout"] : unique(exchanges.map(toEndpoint)),
    session: session ?? "none",
    hasSession: session !== undefined,
    longLived: longLivedOf(recording),
    connections: new Set(exchanges.map(({ connection }) => connection)).size,
    requests: countOf([
      ...exchanges.map(({ request }) => request.verb),
      ...lines.map(({ sender }) => `from ${sender}`),
    ]),
    statuses: countOf(exchanges.map(({ response }) => String(response?.status ?? "no answer"))),
    contentTypes: countOf(
      exchanges.flatMap(({ response }) => toMediaType(response && headerOf(response.headers, "content-type"))),
    ),
    cacheHeaders: countOf(
      exchanges.flatMap(({ response }) => (response && headerOf(response.headers, "cache-control")) ?? []),
    ),
    cacheHints: countOf(toMessages(recording).flatMap(({ message }) => toCacheHint(message.result))),
    bytesUp: sum(exchanges, ({ request }) => request.headBytes + request.bodyBytes) + sum(isSent, ({ bytes }) => bytes),
    bytesDown:
      sum(exchanges, ({ response }) => (response ? response.headBytes + response.bodyBytes : 0)) +
      sum(lines, ({ sender, bytes }) => (sender === "server" ? bytes : 0)),
    messages: toMessages(recording).length,
    sent: sends.length,
    sentToFirstResult: first && sends.filter((at) => at <= first.endedAt).length,
    firstResultMs: medianOf(firstResults),
    firstResults,
    totalMs: endedAt - begin,
  };
}

function medianOf(sorted: readonly number[]): number | undefined {
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

export function toEndpoint({ request: { verb, target } }: HttpExchange): string {
  return `${verb} ${target.replace(/\?.*$/s, "")}`;
}

/** Returns undefined if nothing ties the requests together. */
function sessionOf({ transport, era, exchanges }: Recording): string | undefined {
  if (transport === "stdio") return era === "modern" ? undefined : "the process is the session";
  const byHeader = exchanges.filter(({ request }) => headerOf(request.headers, "mcp-session-id") !== undefined).length;
  if (byHeader > 0) return `Mcp-Session-Id on ${byHeader} of ${exchanges.length} requests`;
  const byQuery = exchanges.filter(({ request }) => /[?&]session_?id=/i.test(request.target)).length;
  return byQuery > 0 ? `session id in the address of ${byQuery} of ${exchanges.length} requests` : undefined;
}

function longLivedOf({ transport, exchanges, endedAt, steps }: Recording): Measures["longLived"] {
  if (transport === "stdio") return [{ what: "the process and its pipes", ms: endedAt - (steps[0]?.startedAt ?? 0) }];
  return exchanges
    .filter((exchange) => exchange.response?.events && exchanges.some((other) => isDuring(other, exchange)))
    .map((exchange) => {
      const { request, startedAt, endedAt: end = endedAt } = exchange;
      const words = parseAll(request.body).map(describeMessage).join(", ");
      return { what: words === "" ? toEndpoint(exchange) : `${request.verb} ${words}`, ms: end - startedAt };
    });
}

/** True if `other` began while the stream was in use. The end of a stream may be recorded after its last event. */
function isDuring(other: HttpExchange, { number, startedAt, endedAt, isCut, response }: HttpExchange): boolean {
  const lastEvent = response?.events?.at(-1)?.at;
  const end = (isCut ? undefined : lastEvent) ?? endedAt ?? Number.POSITIVE_INFINITY;
  return other.number !== number && other.startedAt > startedAt && other.startedAt < end;
}

function toMediaType(value: string | undefined): string[] {
  return value === undefined ? [] : [value.replace(/;.*$/s, "").trim().toLowerCase()];
}

function toCacheHint(result: unknown): string[] {
  if (!isJsonObject(result) || typeof result.ttlMs !== "number") return [];
  return [`ttlMs ${result.ttlMs}${typeof result.cacheScope === "string" ? ` ${result.cacheScope}` : ""}`];
}

export function countOf(words: readonly string[]): Counts {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

function unique(words: readonly string[]): string[] {
  return [...new Set(words)];
}
