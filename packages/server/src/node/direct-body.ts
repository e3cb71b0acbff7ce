// The requests of a server that `serve` starts: their bodies go from the parser to one reader, without the events of a stream.
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** Takes the pieces of a body. */
export interface BodyReader {
  /** Returns false to stop: Node then reads no more of the connection until the response has ended. */
  onPiece(piece: Buffer): boolean;
  onEnd(): void;
}

/** Gives the body to a reader, at once as far as it has arrived. Returns false if the request is a stream already. */
export const giveBody: unique symbol = Symbol("lethe.giveBody");
/** Nothing reads the body: the request becomes a stream, which Node discards when the response has ended. */
export const leaveBody: unique symbol = Symbol("lethe.leaveBody");

export interface DirectBody {
  [giveBody](reader: BodyReader): boolean;
  [leaveBody](): void;
}

/** A class may override neither a property by an accessor nor one by a method, as which the type has them. */
interface Base extends Omit<IncomingMessage, "readableEnded" | "push"> {
  push(piece: Buffer | null, encoding?: BufferEncoding): boolean;
}

/**
 * - "held": who reads the body is not known yet. The request holds one piece, which a parser makes of at most 64 KiB.
 * - "whole": as "held", and the end has arrived.
 * - "given": a reader gets the pieces.
 * - "read": a reader has got the end.
 * - "stream": the request is a stream, as without this class.
 */
type State = "held" | "whole" | "given" | "read" | "stream";

/**
 * The class of requests for `createServer` of node:http. The events of a stream come in later turns of the event loop, and take a tenth of
 * the time of a whole call.
 */
export function toDirectRequest(Request: typeof IncomingMessage): typeof IncomingMessage {
  class DirectRequest extends (Request as new (socket: Socket) => Base) implements DirectBody {
    #state: State = "held";
    #piece: Buffer | undefined = undefined;
    #reader: BodyReader | undefined = undefined;

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

    [giveBody](reader: BodyReader): boolean {
      const state = this.#state;
      const piece = this.#piece;
      if (state !== "held" && state !== "whole") return false;
      this.#state = "given";
      this.#reader = reader;
      this.#piece = undefined;
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
      if (this.#reader?.onPiece(piece)) return true;
      this.#state = "stream";
      return false;
    }

    #end(): boolean {
      const reader = this.#reader;
      this.#state = "read";
      this.#reader = undefined;
      // Node need not discard the body when the response has ended.
      (this as { _consumed?: boolean })._consumed = true;
      reader?.onEnd();
      return true;
    }
  }
  return DirectRequest as unknown as typeof IncomingMessage;
}
