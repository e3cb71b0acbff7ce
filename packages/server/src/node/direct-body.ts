// The requests of a server that `serve` starts: their bodies go from the parser to their listeners, without a stream in between.
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/**
 * Gives the body to listeners, at once as far as it has arrived. Nothing more follows once the request is paused. Returns false if the request is a
 * stream already.
 */
export const giveBody: unique symbol = Symbol("lethe.giveBody");
/** Nothing reads the body: the request becomes a stream, which Node discards when the response has ended. */
export const leaveBody: unique symbol = Symbol("lethe.leaveBody");

/** Events, because tracing binds the listeners of a request to the async context in which it finds the span. The parser has no such context. */
const pieceEvent = Symbol("lethe.piece");
const endEvent = Symbol("lethe.end");

export interface DirectBody {
  [giveBody](onPiece: (piece: Buffer) => void, onEnd: () => void): boolean;
  [leaveBody](): void;
}

/** Without the members that are overridden: `Omit` makes properties of all members, and a class cannot override those by methods and accessors. */
interface Base extends Omit<IncomingMessage, "readableEnded" | "push"> {
  push(piece: Buffer | null, encoding?: BufferEncoding): boolean;
}

/**
 * - "held": who reads the body is not known yet. The request holds one piece, which a parser makes of at most 64 KiB.
 * - "whole": as "held", and the end has arrived.
 * - "given": listeners get the pieces.
 * - "read": listeners have got the end.
 * - "stream": the request is a stream, as without this class.
 */
type State = "held" | "whole" | "given" | "read" | "stream";

/**
 * The class of requests for `createServer` of node:http. A stream in between defers its events to later turns of the event loop, and takes a
 * tenth of the time of a whole call.
 */
export function toDirectRequest(Request: typeof IncomingMessage): typeof IncomingMessage {
  class DirectRequest extends (Request as new (socket: Socket) => Base) implements DirectBody {
    #state: State = "held";
    #piece: Buffer | undefined = undefined;

    /** The parser calls it, with null for the end. */
    override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
      if (this.#state === "given") return piece === null ? this.#end() : this.#give(piece);
      if (this.#state !== "held") return super.push(piece, encoding);
      if (piece === null) this.#state = "whole";
      else if (this.#piece === undefined) this.#piece = piece;
      else {
        this[leaveBody]();
        return super.push(piece, encoding);
      }
      return true;
    }

    /** Node keeps a request that has not ended until the next one of its connection, however long that takes. */
    get readableEnded(): boolean {
      return this.#state === "read" || Reflect.get(Request.prototype, "readableEnded", this);
    }

    [giveBody](onPiece: (piece: Buffer) => void, onEnd: () => void): boolean {
      const state = this.#state;
      const piece = this.#piece;
      if (state !== "held" && state !== "whole") return false;
      this.#state = "given";
      this.#piece = undefined;
      this.on(pieceEvent, onPiece);
      this.on(endEvent, onEnd);
      if (piece !== undefined) this.#give(piece);
      if (state === "whole") this.push(null);
      return true;
    }

    [leaveBody](): void {
      const state = this.#state;
      const piece = this.#piece;
      if (state !== "held" && state !== "whole") return;
      this.#state = "stream";
      this.#piece = undefined;
      if (piece !== undefined) super.push(piece);
      if (state === "whole") super.push(null);
    }

    #give(piece: Buffer): boolean {
      this.emit(pieceEvent, piece);
      if (!this.isPaused()) return true;
      this.#state = "stream";
      return false;
    }

    #end(): boolean {
      this.#state = "read";
      // Node need not discard the body when the response has ended.
      (this as { _consumed?: boolean })._consumed = true;
      this.emit(endEvent);
      return true;
    }
  }
  return DirectRequest as unknown as typeof IncomingMessage;
}
