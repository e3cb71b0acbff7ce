// The one thing that the recorder changes for a client: an HTTP+SSE server that names its endpoint by the whole address (D-32)
// would lead the client past the recorder, or be refused by it. The recording keeps what the server said.
import { headerOf } from "./http-parser.ts";
import type { Header } from "./recording.ts";

/** Takes the body of an event stream piece by piece, and says what goes to the client in place of each. */
export interface EventFilter {
  /** `content` is what a piece says, `raw` how it crossed. */
  push(content: Uint8Array, raw: Uint8Array): Uint8Array;
  /** The stream has ended: what is still held. */
  end(): Uint8Array;
}

export interface EndpointFilterOptions {
  /** Of the server, as the client would reach it without the recorder. */
  server: URL;
  /** The origin of the recorder. */
  recorder: string;
  /** Of the answer. */
  headers: readonly Header[];
  /** Hears that an endpoint was changed. */
  onChange(): void;
}

const nothing = new Uint8Array(0);
/** The end of a chunk, after which a chunk of our own may come. */
const isChunkEnd = (content: Uint8Array, raw: Uint8Array): boolean => content.length === 0 && raw.length === 2;
const isEvent = /^(?:data|event):/m;
const maxHeldBytes = 16_384;

/** Undefined for an answer that is compressed, or says beforehand how long it is. */
export function createEndpointFilter(options: EndpointFilterOptions): EventFilter | undefined {
  const { headers, onChange } = options;
  const has = (name: string): boolean => headerOf(headers, name) !== undefined;
  if (has("content-length") || has("content-encoding")) return undefined;
  const isChunked = has("transfer-encoding");
  let isOver = false;
  let held: Buffer = Buffer.alloc(0);
  let said = "";

  function release(bytes: Uint8Array = held): Uint8Array {
    held = Buffer.alloc(0);
    said = "";
    return bytes;
  }

  return {
    push(content, raw) {
      if (isOver) return raw;
      held = Buffer.concat([held, raw]);
      said += Buffer.from(content).toString("latin1");
      isOver = held.length > maxHeldBytes;
      if (isOver) return release();
      // Only an event that is half there is held back: a comment keeps a connection alive, and crosses at once.
      if (isChunked ? !isChunkEnd(content, raw) : said === "") return nothing;
      if (said !== "" && !/(?:\r\n\r\n|\n\n|\r\r)$/.test(said)) return nothing;
      isOver = isEvent.test(said);
      const changed = toOwnEndpoint(said, options);
      if (changed === said) return release();
      onChange();
      const bytes = Buffer.from(changed, "latin1");
      if (!isChunked) return release(bytes);
      return release(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]));
    },
    end: () => release(),
  };
}

/** The first event, where it is an endpoint at the server itself: a client is right to refuse another one. */
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
