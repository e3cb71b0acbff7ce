// Writes server-sent events (B.2): one event per message.

// B-18, B-71
/** A comment that keeps an idle stream alive. Readers ignore it. */
export const sseKeepAlive = ":\n\n";

/** Optional fields of an event. */
export interface SseFields {
  event?: string;
  id?: string;
  /** How long the reader waits before it reconnects, in milliseconds. */
  retryMs?: number;
}

const lineEnd = /\r\n|\r|\n/;

// B-19
/** Encodes one event, with a `data:` line per line of `data`. */
export function toSseEvent(data: string, fields?: SseFields): string {
  const head = fields === undefined ? "" : toFieldLines(fields);
  if (!data.includes("\n") && !data.includes("\r")) return `${head}data: ${data}\n\n`;
  return `${head}data: ${data.split(lineEnd).join("\ndata: ")}\n\n`;
}

function toFieldLines({ event, id, retryMs }: SseFields): string {
  let lines = "";
  if (event !== undefined) lines += `event: ${oneLine("event", event)}\n`;
  if (id !== undefined) lines += `id: ${oneLine("id", id)}\n`;
  if (retryMs !== undefined) lines += `retry: ${Math.max(0, Math.round(retryMs))}\n`;
  return lines;
}

function oneLine(field: string, text: string): string {
  if (lineEnd.test(text) || text.includes("\0"))
    throw new Error(`the ${field} of an event must be one line without NUL`);
  return text;
}
