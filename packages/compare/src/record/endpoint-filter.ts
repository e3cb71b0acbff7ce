// Rewrites an absolute endpoint URL of an HTTP+SSE server (D-32) to the recorder. Otherwise the client would bypass the recorder
// or reject the URL as foreign. The recording keeps the original URL.
import { headerOf } from "./http-parser.ts";
import type { Header } from "./recording.ts";

/** Takes the body of an event stream piece by piece and returns the bytes to send to the client. */
export interface EventFilter {
  /** `content` is a piece of the body without its framing, `raw` the piece as it was received. */
  push(content: Uint8Array, raw: Uint8Array): Uint8Array;
  /** Called at the end of the stream. Returns the bytes that the filter still holds. */
  end(): Uint8Array;
}

export interface EndpointFilterOptions {
  /** The URL of the server, as the client would use it without the recorder. */
  server: URL;
  /** The origin of the recorder. */
  recorder: string;
  /** The header fields of the response. */
  headers: readonly Header[];
  /** Called when the filter has rewritten an endpoint. */
  onChange(): void;
}

const nothing = new Uint8Array(0);
/** The end of a chunk: a rewritten chunk may follow it. */
const isChunkEnd = (content: Uint8Array, raw: Uint8Array): boolean => content.length === 0 && raw.length === 2;
const isEvent = /^(?:data|event):/m;
const maxHeldBytes = 16_384;

/** Returns undefined for a compressed response, or one with a Content-Length. */
export function createEndpointFilter(options: EndpointFilterOptions): EventFilter | undefined {
  const { headers, onChange } = options;
  const has = (name: string): boolean => headerOf(headers, name) !== undefined;
  if (has("content-length") || has("content-encoding")) return undefined;
  const isChunked = has("transfer-encoding");
  let isDone = false;
  let held: Buffer = Buffer.alloc(0);
  let text = "";

  function release(bytes: Uint8Array = held): Uint8Array {
    held = Buffer.alloc(0);
    text = "";
    return bytes;
  }

  return {
    push(content, raw) {
      if (isDone) return raw;
      held = Buffer.concat([held, raw]);
      text += Buffer.from(content).toString("latin1");
      isDone = held.length > maxHeldBytes;
      if (isDone) return release();
      // Only an incomplete event is held back. A comment keeps the connection alive and passes at once.
      if (isChunked ? !isChunkEnd(content, raw) : text === "") return nothing;
      if (text !== "" && !/(?:\r\n\r\n|\n\n|\r\r)$/.test(text)) return nothing;
      isDone = isEvent.test(text);
      const changed = toOwnEndpoint(text, options);
      if (changed === text) return release();
      onChange();
      const bytes = Buffer.from(changed, "latin1");
      if (!isChunked) return release(bytes);
      return release(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]));
    },
    end: () => release(),
  };
}

/** Rewrites the first event if it is an endpoint on the server itself. A client rejects an endpoint on another origin. */
function toOwnEndpoint(
  events: string,
  { server, recorder }: Pick<EndpointFilterOptions, "server" | "recorder">,
): string {
  const blocks = events.split(/(?<=\r\n\r\n|\n\n|\r\r)/);
  const first = blocks.find((block) => isEvent.test(block));
  if (first === undefined || !/^event: ?endpoint\s*$/m.test(first)) return events;
  const own = first.replace(
    /^(data: ?)((?:[a-z][\w+.-]*:)?\/\/[^/?#\s]*)/im,
    (whole, field: string, origin: string) => {
      const isSame = URL.canParse(origin, server) && new URL(origin, server).origin === server.origin;
      return isSame ? field + recorder : whole;
    },
  );
  return blocks.map((block) => (block === first ? own : block)).join("");
}
