// Converts a recording to lines of text, with placeholders for ids, times and tokens that differ from run to run.
import { describeMessage, toMessages } from "../record/messages.ts";
import type { Header, HttpExchange, Recording } from "../record/recording.ts";

/** Header fields whose values differ from run to run. */
const volatile =
  /^(?:date|content-length|host|mcp-session-id|last-event-id|traceparent|etag|x-request-id|keep-alive)$/i;
const replacements: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<uuid>"],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g, "<time>"],
  [/(?<=\b(?:localhost|127\.0\.0\.1|\[::1\])):\d+/g, ":<port>"],
  [/(?<=[?&]session_?id=)[^&\s"]+/gi, "<session>"],
  [/\b[0-9a-f]{32,}\b/gi, "<hex>"],
  // A masked session id or state.
  [/[\w.-]{1,4}\*{3}/g, "<masked>"],
];
/** Members whose values differ from run to run. */
const volatileMembers: ReadonlySet<string> = new Set([
  "requestState",
  "progressToken",
  "requestId",
  "taskId",
  "traceparent",
  "io.modelcontextprotocol/subscriptionId",
]);

export function normalise(recording: Recording): string[] {
  const lines = [
    ...recording.exchanges.flatMap(toExchangeLines),
    ...recording.lines.flatMap(({ sender, text }) => [sender === "client" ? "→" : "←", ...toBodyLines(text)]),
  ];
  let plain = lines.join("\n");
  for (const [id, name] of idsOf(recording)) plain = plain.replaceAll(id, toPlaceholder(name));
  for (const [pattern, name] of replacements) plain = plain.replace(pattern, name);
  return plain.split("\n");
}

/** Ids from volatile members, which may recur in headers and texts. */
function idsOf(recording: Recording): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  for (const { message } of toMessages(recording)) {
    JSON.stringify(message, (name, value: unknown) => {
      const isId = volatileMembers.has(name) && typeof value === "string" && value.length >= shortestId;
      if (isId && ids.size < maxIds) ids.set(value, name);
      return value;
    });
  }
  return ids;
}

/** Ids replaced in one recording. Each takes a pass over the whole text. */
const maxIds = 1_000;
/** Characters. A shorter id may be an ordinary word. */
const shortestId = 8;

function toPlaceholder(member: string): string {
  return `<${member.replace(/^.*\//, "")}>`;
}

function toExchangeLines({ request, response, isCut }: HttpExchange): string[] {
  const answer = response && [
    `← ${response.status}`,
    ...toHeaderLines(response.headers),
    ...(response.events?.flatMap(({ event, data }) => [`event ${event}`, ...toBodyLines(data)]) ??
      toBodyLines(response.body)),
  ];
  return [
    `→ ${request.verb} ${request.target}`,
    ...toHeaderLines(request.headers),
    ...toBodyLines(request.body),
    ...(answer ?? ["← nothing"]),
    ...(isCut ? ["cut"] : []),
  ];
}

function toHeaderLines(headers: readonly Header[]): string[] {
  return headers.map(([name, value]) => `${name}: ${volatile.test(name) ? "<varies>" : value}`);
}

/** Puts each member on its own line, so that a difference affects one line. */
function toBodyLines(text: string): string[] {
  if (text === "") return [];
  try {
    return JSON.stringify(JSON.parse(text, toStable), null, 1).split("\n");
  } catch {
    return text.split("\n");
  }
}

/** Replaces the id of a message, but not other members named `id`. */
function toStable(name: string, value: unknown): unknown {
  if (volatileMembers.has(name)) return toPlaceholder(name);
  if (typeof value === "object" && value !== null && "jsonrpc" in value && "id" in value) {
    return { ...value, id: `<id of ${describeMessage(value as { [member: string]: unknown })}>` };
  }
  return value;
}
