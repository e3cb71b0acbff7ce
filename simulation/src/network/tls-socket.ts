// A socket in the place of the TLSSocket of node:tls: the members, events and errors that direct connections between replicas use.
import { EventEmitter } from "node:events";
import type { ConnectionEnd, Host, Segment } from "./direct-connection.ts";

/** How likely the next bytes of a write are a piece of their own. */
const splitPart = 0.1;
/** The ports from which processes connect. */
let lastPort = 0;

export class TLSSocket extends EventEmitter {
  destroyed = false;
  writableEnded = false;
  readonly remoteAddress = "simulated";
  readonly remotePort: number;
  readonly #host: Host;
  readonly #end: ConnectionEnd;
  #isPaused = false;
  /** What arrived while it was paused. */
  #waiting: Segment[] = [];

  constructor(host: Host, end: ConnectionEnd) {
    super();
    lastPort += 1;
    this.remotePort = lastPort;
    this.#host = host;
    this.#end = end;
    end.onSegment = (segment) => {
      if (this.#isPaused || this.#waiting.length > 0) this.#waiting.push(segment);
      else this.#receive(segment);
    };
  }

  write(bytes: Buffer): void {
    const { random } = this.#host.network;
    let rest = bytes;
    while (rest.length > 1 && random.chance(splitPart)) {
      const size = random.whole(1, rest.length - 1);
      this.send(rest.subarray(0, size));
      rest = rest.subarray(size);
    }
    this.send(rest);
  }

  send(segment: Segment): void {
    if (!this.destroyed && !this.writableEnded) this.#end.send(segment);
  }

  end(): void {
    this.send("end");
    this.writableEnded = true;
  }

  destroy(error?: Error): this {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.#end.abandon();
    this.#later(() => {
      if (error) this.emit("error", error);
      this.emit("close");
    });
    return this;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#later(() => {
      while (!this.#isPaused && this.#waiting.length > 0) this.#receive(this.#waiting.shift() as Segment);
    });
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  /** Like TLS, which counts a pre-shared key as an earlier session. */
  isSessionReused(): boolean {
    return true;
  }

  #receive(segment: Segment): void {
    if (this.destroyed) return;
    if (Buffer.isBuffer(segment)) this.emit("data", segment);
    else if (segment === "reset") this.destroy(failure("ECONNRESET"));
    else if (segment === "refused") this.destroy(failure("ECONNREFUSED", "connect ECONNREFUSED"));
    else if (segment === "accepted") {
      this.send("finished");
      this.emit("secureConnect");
    } else if (segment === "finished") this.emit("finished");
    else if (segment === "end") {
      this.emit("end");
      this.destroy();
    } else if ("alert" in segment) this.destroy(failure(segment.alert));
  }

  #later(event: () => void): void {
    const { network, process } = this.#host;
    network.agenda.after(0, () => process.deliver(event));
  }
}

/** An error as Node.js reports it. */
export function failure(code: string, message = code): Error {
  return Object.assign(new Error(message), { code });
}
