// Closed-loop HTTP load over plain sockets: each connection sends its next request after the response to the last one.
// It costs less per request than the common load generators, measures in microseconds and reads event streams.
import type { Socket } from "node:net";
import { openSocket, readResponses } from "./socket.ts";

export interface HttpLoad {
  /** With several, each serves an equal block of the connections. */
  port: number | readonly number[];
  /** Requests go to all ports in turn, as through a load balancer: a connection is one to each port. Default false. */
  takesPortsInTurn?: boolean;
  /** Whole requests, head and body, sent in rotation. */
  requests: readonly Buffer[];
  connections: number;
  /** Each connection sends the requests of one of so many groups, the k-th of every so many requests. Default 1: all requests. */
  groups?: number;
  seconds: number;
}

export interface LoadResult {
  /** Round trips completed. */
  count: number;
  /** From the first request to the last response. The load waits for requests in flight at the deadline and counts them. */
  seconds: number;
  /** One per round trip, ascending, in ms. */
  latencies: Float64Array;
}

/** Connections that stay open from one run to the next, as those of clients do. */
export interface OpenHttpLoad {
  /** Rejects on the first status outside 200-299, and when a connection has broken. */
  run(seconds: number): Promise<LoadResult>;
  close(): void;
}

/** Opens connections for one run. */
export async function runHttpLoad({ seconds, ...load }: HttpLoad): Promise<LoadResult> {
  const open = await openHttpLoad(load);
  try {
    return await open.run(seconds);
  } finally {
    open.close();
  }
}

export async function openHttpLoad(load: Omit<HttpLoad, "seconds">): Promise<OpenHttpLoad> {
  const { port, takesPortsInTurn = false, requests, connections, groups = 1 } = load;
  const rotations = Array.from({ length: groups }, (_, group) => ({
    requests: requests.filter((_, index) => index % groups === group),
    next: 0,
  }));
  const ports = [port].flat();
  const portOf = (connection: number): number => ports[Math.floor((connection * ports.length) / connections)] as number;
  const portsOf = (connection: number) => (takesPortsInTurn ? ports : [portOf(connection)]);
  const sockets = await Promise.all(
    Array.from({ length: connections }, (_, index) => Promise.all(portsOf(index).map((each) => openSocket(each)))),
  );
  // Connections of one group are opened one after the other: a server that deals connections out gives each worker some of each group.
  const drivers = sockets.map((turns, index) => {
    return new Driver(turns, rotations[Math.floor((index * groups) / connections)] as Rotation);
  });
  return {
    async run(seconds) {
      const latencies: number[] = [];
      const started = performance.now();
      const until = started + seconds * 1000;
      await Promise.all(drivers.map((driver) => driver.drive(until, latencies)));
      const elapsed = performance.now() - started;
      return { count: latencies.length, seconds: elapsed / 1000, latencies: Float64Array.from(latencies).sort() };
    },
    close() {
      for (const socket of sockets.flat()) socket.destroy();
    },
  };
}

interface Rotation {
  readonly requests: readonly Buffer[];
  next: number;
}

interface Run {
  readonly until: number;
  readonly latencies: number[];
  resolve(): void;
  reject(error: Error): void;
}

/** Sends the requests of a rotation one after the other, over its sockets in turn. */
class Driver {
  readonly #sockets: readonly Socket[];
  readonly #rotation: Rotation;
  #run: Run | undefined;
  #failure: Error | undefined;
  #sent = 0;
  #turn = 0;

  constructor(sockets: readonly Socket[], rotation: Rotation) {
    this.#sockets = sockets;
    this.#rotation = rotation;
    for (const socket of sockets) {
      readResponses(socket, { end: (status) => this.#ended(status) }, (error) => {
        this.#failure ??= error;
        this.#run?.reject(error);
      });
    }
  }

  drive(until: number, latencies: number[]): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      this.#run = { until, latencies, resolve, reject };
      this.#send();
    });
  }

  #send(): void {
    const { requests } = this.#rotation;
    const request = requests[this.#rotation.next % requests.length];
    this.#rotation.next += 1;
    this.#turn = (this.#turn + 1) % this.#sockets.length;
    this.#sent = performance.now();
    if (request) this.#sockets[this.#turn]?.write(request);
  }

  #ended(status: number): void {
    if (!this.#run) return;
    const { until, latencies, resolve, reject } = this.#run;
    const now = performance.now();
    latencies.push(now - this.#sent);
    if (status < 200 || status > 299) reject(new Error(`answered ${status} under load`));
    else if (now < until) this.#send();
    else resolve();
  }
}
