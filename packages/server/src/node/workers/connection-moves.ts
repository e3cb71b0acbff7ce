// Finds kept-alive connections whose requests another worker answers, and gives them to that worker between two requests. From then on it
// receives these requests itself, and nothing is forwarded.
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Gives an idle connection to a worker. `moves` counts its moves, with this one. Returns false if that is not possible now. */
export type GiveConnection = (socket: Socket, to: number, moves: number) => boolean;

interface Followed {
  readonly moves: number;
  /** The worker that answered the last requests, and how many in a row. */
  owner: number;
  run: number;
  /** The response to the last request that was received, and to the last one that another worker answered. */
  last: ServerResponse;
  forwarded: ServerResponse | undefined;
  /** The parser has read a part of a request that follows the last one. */
  hasBegun: boolean;
  /** The parser has reported the beginning of a request: if it reports none, none has begun. */
  isReported: boolean;
}

/** The part of Node's parser that reports the beginning of a request, at an index that its class names. */
interface Parser {
  readonly constructor: { readonly kOnMessageBegin?: number };
  [index: number]: unknown;
}

/** Requests in a row that one other worker answered, after which a connection moves for the first time. */
const firstRun = 2;
/**
 * Each move makes the next one need so many times as many requests. A connection of one caller moves once. One that carries the requests
 * of many callers, such as that of a load balancer, soon stays where it is.
 */
const runGrowth = 4;

export class ConnectionMoves {
  readonly #give: GiveConnection;
  readonly #followed = new WeakMap<Socket, Followed>();
  /** How often connections moved before they came here. */
  readonly #moves = new WeakMap<Socket, number>();

  constructor(give: GiveConnection) {
    this.#give = give;
  }

  /** The connection has come from another worker. */
  arrived(socket: Socket, moves: number): void {
    this.#moves.set(socket, moves);
  }

  /** A request was received. Call it while the parser still handles the head of the request. */
  received(socket: Socket, response: ServerResponse): void {
    const connection = this.#followed.get(socket);
    if (!connection) return;
    if (connection.forwarded !== connection.last) connection.run = 0;
    connection.isReported ||= connection.hasBegun;
    connection.hasBegun = false;
    connection.last = response;
  }

  /** Another worker has answered the request. Its response is not sent yet. */
  answeredBy(socket: Socket, response: ServerResponse, worker: number): void {
    const connection = this.#followed.get(socket) ?? this.#follow(socket, response);
    // A client that does not wait for its responses is left where it is.
    if (connection?.last !== response) return;
    if (connection.owner !== worker) connection.run = 0;
    connection.owner = worker;
    if (connection.forwarded === response) return;
    connection.forwarded = response;
    connection.run += 1;
    if (connection.run < firstRun * runGrowth ** connection.moves) return;
    response.once("close", () => this.#moveIfIdle(socket, response, connection));
  }

  #follow(socket: Socket, last: ServerResponse): Followed | undefined {
    const { parser } = socket as { parser?: Parser };
    const index = parser?.constructor.kOnMessageBegin;
    if (!parser || index === undefined) return undefined;
    const moves = this.#moves.get(socket) ?? 0;
    const connection: Followed = {
      ...{ moves, owner: 0, run: 0, last, forwarded: undefined, hasBegun: false, isReported: false },
    };
    // Node removes it when it reuses the parser for another connection.
    parser[index] = () => {
      connection.hasBegun = true;
    };
    this.#followed.set(socket, connection);
    return connection;
  }

  /** What the client sends next must still be in the kernel: bytes that this process has read would be lost. */
  #moveIfIdle(socket: Socket, response: ServerResponse, connection: Followed): void {
    const { last, hasBegun, isReported, owner, run, moves } = connection;
    if (last !== response || hasBegun || !isReported || run < firstRun) return;
    if (!response.writableFinished || !response.req.complete) return;
    if (socket.destroyed || socket.writableEnded || socket.readableEnded) return;
    if (socket.readableLength > 0 || socket.writableLength > 0) return;
    if (this.#give(socket, owner, moves + 1)) this.#followed.delete(socket);
  }
}
