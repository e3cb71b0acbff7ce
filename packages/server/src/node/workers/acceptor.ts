// Listens for all workers, and gives each connection to one of them. A connection that a worker has not taken when it ends goes to another,
// so that the end of a worker costs no connection that it has not read from.
import type { ChildProcess } from "node:child_process";
import { createServer, type Server, type Socket } from "node:net";
import type {
  ConnectionMessage,
  GivenMessage,
  ListenAnswer,
  ListenAt,
  MovedMessage,
  TakenMessage,
} from "./listening.ts";
import { stopReading } from "./stop-reading.ts";

export interface AcceptorOptions {
  /** Connections that a worker has been given and has not taken. Default 16. */
  readonly maxUntaken?: number;
  /** Connections that wait for a worker. More are closed. Default 1,024. */
  readonly maxWaiting?: number;
}

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  /** Set for one that a worker has served and gives to another. */
  readonly move?: Move;
}

interface Move {
  readonly moves: number;
  /** The worker that had it. */
  readonly from: number;
  /** The worker that should get it. */
  readonly to: number;
  readonly isReturned: boolean;
}

interface Taker {
  readonly process: ChildProcess;
  /** By the id of the connection. */
  readonly untaken: Map<number, Connection>;
  /** The addresses at which it takes connections. */
  readonly addresses: Set<string>;
  /** The last connection of each address that it was given, until it is asked for that. */
  readonly unasked: Map<string, number>;
}

export class Acceptor {
  readonly #maxUntaken: number;
  readonly #maxWaiting: number;
  readonly #servers = new Map<string, Promise<Server>>();
  readonly #takers = new Map<number, Taker>();
  readonly #waiting: Connection[] = [];
  /** The workers in the order in which they get connections. */
  #order: number[] = [];
  #lastId = 0;
  #isClosed = false;

  constructor({ maxUntaken = 16, maxWaiting = 1_024 }: AcceptorOptions = {}) {
    this.#maxUntaken = maxUntaken;
    this.#maxWaiting = maxWaiting;
  }

  join(number: number, process: ChildProcess): void {
    const taker: Taker = { process, untaken: new Map(), addresses: new Set(), unasked: new Map() };
    this.#takers.set(number, taker);
    this.#order.push(number);
    process.on("message", (message: TakenMessage | MovedMessage | undefined, socket?: Socket) => {
      if (message?.lethe === "taken") this.#taken(taker, message);
      // Without a socket, the client has left meanwhile.
      else if (message?.lethe === "moved" && socket) this.#moved(number, message, socket);
    });
    // After the last message of the worker.
    process.once("disconnect", () => this.left(number));
  }

  /** The worker takes connections at this address. The first one opens it. */
  async listen(number: number, at: ListenAt): Promise<ListenAnswer> {
    const address = JSON.stringify([at.host, at.port]);
    const opening = this.#servers.get(address) ?? this.#open(address, at);
    this.#servers.set(address, opening);
    try {
      const server = await opening;
      this.#takers.get(number)?.addresses.add(address);
      this.#distribute();
      return { address, port: (server.address() as { port: number }).port };
    } catch (error) {
      this.#servers.delete(address);
      const { code, message } = error as NodeJS.ErrnoException;
      return { problem: message, ...(code !== undefined && { code }) };
    }
  }

  /** The worker takes no more connections at this address. */
  stop(number: number, address: string): void {
    const taker = this.#takers.get(number);
    taker?.addresses.delete(address);
    if (this.#isClosed && !this.#hasTaker(address)) this.#close(address);
  }

  /** Stops listening when the last worker has stopped. Connections that no worker takes are closed. */
  close(): void {
    this.#isClosed = true;
    for (const address of this.#servers.keys()) {
      if (!this.#hasTaker(address)) this.#close(address);
    }
  }

  #hasTaker(address: string): boolean {
    return [...this.#takers.values()].some(({ addresses }) => addresses.has(address));
  }

  #close(address: string): void {
    void this.#servers.get(address)?.then(
      (server) => server.close(),
      () => {},
    );
    this.#servers.delete(address);
    for (const waiting of this.#waiting.splice(0)) {
      if (waiting.address === address) waiting.socket.destroy();
      else this.#waiting.push(waiting);
    }
  }

  #open(address: string, { host, port }: ListenAt): Promise<Server> {
    // Paused: what a client sends is left for the worker. Half open: so is the end of its requests.
    const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
      socket.on("error", () => {});
      if (this.#waiting.length >= this.#maxWaiting) socket.destroy();
      else this.#waiting.push({ socket, address });
      this.#distribute();
    });
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, host, () => {
        server.off("error", reject);
        // Such as too many open files: the system keeps the connection waiting.
        server.on("error", () => {});
        resolve(server);
      });
    });
  }

  #taken({ untaken }: Taker, { id, isTaken, isLost = false }: TakenMessage): void {
    const given = untaken.get(id);
    if (!given) return;
    untaken.delete(id);
    // It would have answered for earlier ones before.
    for (const [earlier, connection] of untaken) {
      if (earlier > id || connection.address !== given.address) continue;
      untaken.delete(earlier);
      this.#lost(connection);
    }
    if (isLost) this.#lost(given);
    // The worker has its own copy of the descriptor.
    else if (isTaken) given.socket.destroy();
    else this.#waiting.unshift(toReturned(given));
    this.#distribute();
  }

  /** It ends, as where a process that listens has too many open files. One that a worker has served goes back to it. */
  #lost(connection: Connection): void {
    if (connection.move && !connection.move.isReturned) this.#waiting.unshift(toReturned(connection));
    else connection.socket.destroy();
  }

  /** What its client sends waits for the worker that should serve it. */
  #moved(from: number, { address, to, moves }: MovedMessage, socket: Socket): void {
    stopReading(socket);
    socket.on("error", () => {});
    if (this.#waiting.length >= this.#maxWaiting || !this.#servers.has(address)) socket.destroy();
    else this.#waiting.unshift({ socket, address, move: { moves, from, to, isReturned: false } });
    this.#distribute();
  }

  #distribute(): void {
    for (let index = 0; index < this.#waiting.length; ) {
      const connection = this.#waiting[index] as Connection;
      const taker = connection.socket.destroyed ? undefined : this.#nextTaker(connection);
      if (!taker && !connection.socket.destroyed) {
        index += 1;
        continue;
      }
      this.#waiting.splice(index, 1);
      if (taker) this.#give(taker, connection);
    }
  }

  /** The worker that should get it, or the next one in turn. One that is slow to take connections gets none. */
  #nextTaker({ address, move }: Connection): Taker | undefined {
    for (const number of move ? [move.to, ...this.#order] : this.#order) {
      const taker = this.#takers.get(number);
      if (!taker?.addresses.has(address) || taker.untaken.size >= this.#maxUntaken) continue;
      this.#order = [...this.#order.filter((other) => other !== number), number];
      return taker;
    }
    return undefined;
  }

  #give(taker: Taker, connection: Connection): void {
    this.#lastId += 1;
    const id = this.#lastId;
    taker.untaken.set(id, connection);
    const { socket, address, move } = connection;
    const moved = move && { moves: move.moves, isReturned: move.isReturned };
    const message: ConnectionMessage = { lethe: "connection", id, address, ...moved };
    // A failure means that the worker has ended: `disconnect` follows.
    taker.process.send(message, socket, { keepOpen: true }, () => {});
    if (taker.unasked.size === 0) setImmediate(() => this.#askFor(taker));
    taker.unasked.set(address, id);
  }

  /** Node does not say whether a worker got a socket. It sends what follows when the worker has answered to the socket. */
  #askFor({ process, unasked }: Taker): void {
    for (const [address, id] of unasked) {
      process.send({ lethe: "given", id, address } satisfies GivenMessage, () => {});
    }
    unasked.clear();
  }

  /**
   * The worker has ended, and its last message was read. A worker that was killed in the middle of a message never disconnects, so its group
   * calls this, too.
   */
  left(number: number): void {
    const taker = this.#takers.get(number);
    if (!taker) return;
    this.#takers.delete(number);
    this.#order = this.#order.filter((other) => other !== number);
    // They have waited longest.
    this.#waiting.unshift(...taker.untaken.values());
    taker.untaken.clear();
    if (this.#isClosed) this.close();
    this.#distribute();
  }
}

/** The worker that should get it does not take it: the one that had it, or else the next one, takes it in any case. */
function toReturned({ move, ...connection }: Connection): Connection {
  return move ? { ...connection, move: { ...move, to: move.from, isReturned: true } } : connection;
}
