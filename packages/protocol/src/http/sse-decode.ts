// Reads server-sent events as the HTML standard defines them (B-71), from text that is split anywhere.
import { StringBuilder } from "./string-builder.ts";

/** A server-sent event. */
export interface SseEvent {
  /** "message" if the sender gave no name. */
  event: string;
  // D-35
  /** "" for an event with only an id or a retry time. */
  data: string;
  /** Present only if the event had an `id:` line. "" resets the last id. */
  id?: string;
  /** Present only if the event had a valid `retry:` line, in milliseconds. */
  retryMs?: number;
}

/** Options of an SSE decoder. */
export interface SseDecoderOptions {
  /**
   * The largest event, counting its fields and the line breaks within its data, in UTF-16 code units (a text never has more
   * of these than bytes). Default 16 MiB. An unfinished event occupies about this much memory, regardless of how many lines
   * and pieces it arrives in.
   */
  maxEventBytes?: number;
}

/** An incremental decoder of one event stream. */
export interface SseDecoder {
  /** Returns the events that `text` completes. Throws when an event exceeds `maxEventBytes`; the stream is unusable then. */
  push(text: string): SseEvent[];
  /** The size of the unfinished event, in UTF-16 code units. */
  readonly heldLength: number;
  /** Discards an unfinished event: without its blank line it was cut off. */
  end(): void;
}

const defaultMaxEventBytes = 16 * 1024 * 1024;
/** A longer id does not fit into the `Last-Event-ID` header of a request. */
const maxIdLength = 8 * 1024;
const byteOrderMark = "\ufeff";

/** The fields of the event that is being read. */
interface Draft {
  event: string;
  /** The first data line. */
  data: string | undefined;
  /** All data lines, of an event that has more than one. */
  joined: StringBuilder | undefined;
  id: string | undefined;
  retryMs: number | undefined;
}

/** Creates the decoder of one event stream. */
export function createSseDecoder(options: SseDecoderOptions = {}): SseDecoder {
  const { maxEventBytes = defaultMaxEventBytes } = options;
  let draft = emptyDraft();
  const line = new StringBuilder();
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
      const rest = text.slice(start, end);
      if (line.length === 0) takeLine(rest, events);
      else {
        line.append(rest);
        takeLine(line.take(), events);
      }
      start = end + 1;
      if (isCarriage) {
        if (feed === start) start++;
        else if (start === text.length) endedInCarriageReturn = true;
        carriage = text.indexOf("\r", start);
      }
      if (feed !== -1 && feed < start) feed = text.indexOf("\n", start);
    }
    // Only the new text is searched for line ends, so a long line in small pieces costs its length, not its square.
    line.append(text.slice(start));
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

  function heldLength(): number {
    const { event, data, joined, id } = draft;
    const dataLength = (joined ?? data)?.length ?? 0;
    return line.length + event.length + dataLength + (id?.length ?? 0);
  }

  function requireBound(): void {
    if (heldLength() <= maxEventBytes) return;
    end();
    throw new Error(`a server-sent event is larger than ${maxEventBytes} bytes`);
  }

  function end(): void {
    draft = emptyDraft();
    line.clear();
  }

  return {
    push,
    get heldLength() {
      return heldLength();
    },
    end,
  };
}

function emptyDraft(): Draft {
  return { event: "", data: undefined, joined: undefined, id: undefined, retryMs: undefined };
}

// D-35
/** The standard drops events without data. A priming event of an older server has only an id or a retry time. */
function isWorthReporting(draft: Draft): boolean {
  return draft.data !== undefined || draft.id !== undefined || draft.retryMs !== undefined;
}

function takeField(draft: Draft, line: string): void {
  const colon = line.indexOf(":");
  const field = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
  switch (field) {
    case "data":
      if (draft.data === undefined) draft.data = value;
      else {
        draft.joined ??= new StringBuilder(draft.data);
        draft.joined.append(`\n${value}`);
      }
      break;
    case "event":
      draft.event = value;
      break;
    case "id":
      // An id that is too long to send back makes the stream impossible to resume, like an empty id.
      if (!value.includes("\0")) draft.id = value.length > maxIdLength ? "" : value;
      break;
    case "retry":
      if (/^\d+$/.test(value)) draft.retryMs = Number(value);
      break;
    default: // Comments have an empty field name. Unknown fields are ignored.
  }
}

function toEvent({ event, data, joined, id, retryMs }: Draft): SseEvent {
  return {
    event: event === "" ? "message" : event,
    data: joined?.take() ?? data ?? "",
    ...(id === undefined ? {} : { id }),
    ...(retryMs === undefined ? {} : { retryMs }),
  };
}
