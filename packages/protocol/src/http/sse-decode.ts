// Reads server-sent events as the HTML standard defines them (B-71), from text that is split anywhere.

export interface SseEvent {
  /** "message" when the sender gave no name. */
  event: string;
  /** "" for an event that only carries an id or a retry time (D-35). */
  data: string;
  /** Only when this event had an `id:` line; "" means that the sender takes its last id back. */
  id?: string;
  /** Only when this event had a valid `retry:` line, in milliseconds. */
  retryMs?: number;
}

export interface SseDecoderOptions {
  /** The most that one unfinished event may hold, in UTF-16 code units, of which a text has no more than bytes. */
  maxEventBytes?: number;
}

export interface SseDecoder {
  /** The events that `text` completes. Throws when an event grows past its bound: the stream is then of no more use. */
  push(text: string): SseEvent[];
  /** Forgets an unfinished event: without its blank line it was cut off. */
  end(): void;
}

const defaultMaxEventBytes = 16 * 1024 * 1024;
const byteOrderMark = "\ufeff";

/** The fields of the event that is being read. */
interface Draft {
  event: string;
  data: string | undefined;
  id: string | undefined;
  retryMs: number | undefined;
}

export function createSseDecoder(options: SseDecoderOptions = {}): SseDecoder {
  const { maxEventBytes = defaultMaxEventBytes } = options;
  let draft = emptyDraft();
  let line = "";
  let isFirst = true;
  let endedInCarriageReturn = false;

  function push(text: string): SseEvent[] {
    const events: SseEvent[] = [];
    if (text === "") return events;
    let start = 0;
    if (isFirst && text.startsWith(byteOrderMark)) start = 1;
    if (endedInCarriageReturn && text.startsWith("\n")) start = 1;
    isFirst = false;
    endedInCarriageReturn = false;
    let feed = text.indexOf("\n", start);
    let carriage = text.indexOf("\r", start);
    while (feed !== -1 || carriage !== -1) {
      const isCarriage = carriage !== -1 && (feed === -1 || carriage < feed);
      const end = isCarriage ? carriage : feed;
      const whole = line + text.slice(start, end);
      line = "";
      takeLine(whole, events);
      start = end + 1;
      if (isCarriage) {
        if (feed === start) start++;
        else if (start === text.length) endedInCarriageReturn = true;
        carriage = text.indexOf("\r", start);
      }
      if (feed !== -1 && feed < start) feed = text.indexOf("\n", start);
    }
    // Only the new text is searched for line ends, so a long line in small pieces costs its length, not its square.
    if (start < text.length) line += start === 0 ? text : text.slice(start);
    requireBound();
    return events;
  }

  function takeLine(text: string, events: SseEvent[]): void {
    if (text === "") {
      if (isWorthReporting(draft)) events.push(toEvent(draft));
      draft = emptyDraft();
      return;
    }
    takeField(draft, text);
    requireBound();
  }

  function requireBound(): void {
    if (line.length + draft.event.length + (draft.data?.length ?? 0) + (draft.id?.length ?? 0) <= maxEventBytes) return;
    end();
    throw new Error(`a server-sent event is larger than ${maxEventBytes} bytes`);
  }

  function end(): void {
    draft = emptyDraft();
    line = "";
  }

  return { push, end };
}

function emptyDraft(): Draft {
  return { event: "", data: undefined, id: undefined, retryMs: undefined };
}

/** The standard drops events without data; an id or a retry time alone is what a legacy server primes with (D-35). */
function isWorthReporting(draft: Draft): boolean {
  return draft.data !== undefined || draft.id !== undefined || draft.retryMs !== undefined;
}

function takeField(draft: Draft, line: string): void {
  const colon = line.indexOf(":");
  const field = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
  switch (field) {
    case "data":
      draft.data = draft.data === undefined ? value : `${draft.data}\n${value}`;
      break;
    case "event":
      draft.event = value;
      break;
    case "id":
      if (!value.includes("\0")) draft.id = value;
      break;
    case "retry":
      if (/^\d+$/.test(value)) draft.retryMs = Number(value);
      break;
    default: // A comment has an empty field name; what else comes is for a later version of the format.
  }
}

function toEvent({ event, data, id, retryMs }: Draft): SseEvent {
  return {
    event: event === "" ? "message" : event,
    data: data ?? "",
    ...(id === undefined ? {} : { id }),
    ...(retryMs === undefined ? {} : { retryMs }),
  };
}
