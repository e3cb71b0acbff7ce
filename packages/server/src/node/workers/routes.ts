// The ways to the other workers for forwarded requests: a pipe of the two workers, or their parent while they have none. All messages of
// one request take the same way, because messages on different ways may overtake each other.
import type { Duplex } from "node:stream";
import { type ForwardedMessage, forwardedChannel } from "./forwarded-message.ts";
import { frameKind } from "./frames.ts";
import { parseJson, toJsonBody } from "./messages.ts";
import type { ParentLink, SendOptions } from "./parent-link.ts";
import { Pipe } from "./pipe.ts";

/** A way to another worker. */
export interface Route {
  /** The number of the other worker. */
  readonly to: number;
  /** Sends a message, in order and at most once. Returns false for one that is too large. */
  send(message: ForwardedMessage, options?: SendOptions): boolean;
}

export interface RoutesOptions {
  readonly link: ParentLink;
  onMessage(route: Route, message: ForwardedMessage): void;
  /** Nothing more arrives on this route. Called after the last message. */
  onCut(route: Route): void;
}

/** A pipe whose other worker has ended is cut by the system. If that takes longer than this, in ms, this worker cuts it. */
const endMs = 1_000;

export class Routes {
  readonly #options: RoutesOptions;
  readonly #pipes = new Map<number, PipeRoute>();
  readonly #throughParent = new Map<number, Route>();
  readonly #stop: () => void;

  constructor(options: RoutesOptions) {
    this.#options = options;
    const { link, onMessage } = options;
    this.#stop = link.listen<ForwardedMessage>(forwardedChannel, (from, message) =>
      onMessage(this.#parentRoute(from), message),
    );
  }

  /** Requests to and from this worker now take a pipe of their own. */
  add(worker: number, stream: Duplex): void {
    const { onMessage, onCut } = this.#options;
    const route: PipeRoute = new PipeRoute(worker, stream, {
      onMessage: (message) => onMessage(route, message),
      onClose: () => {
        if (this.#pipes.get(worker) === route) this.#pipes.delete(worker);
        onCut(route);
      },
    });
    this.#pipes.set(worker, route);
  }

  to(worker: number): Route {
    return this.#pipes.get(worker) ?? this.#parentRoute(worker);
  }

  /** The process of this worker has ended. What it sent before may still be in its pipe. */
  ended(worker: number): void {
    const route = this.#throughParent.get(worker);
    this.#throughParent.delete(worker);
    if (route) this.#options.onCut(route);
    const pipe = this.#pipes.get(worker);
    if (pipe) setTimeout(() => pipe.cut(), endMs).unref();
  }

  /** Cuts all routes after what was sent. */
  close(): void {
    this.#stop();
    for (const pipe of this.#pipes.values()) pipe.end();
    this.#pipes.clear();
  }

  #parentRoute(to: number): Route {
    const known = this.#throughParent.get(to);
    if (known) return known;
    const { link } = this.#options;
    const route: Route = { to, send: (message, options) => link.send(to, forwardedChannel, message, options) };
    this.#throughParent.set(to, route);
    return route;
  }
}

class PipeRoute implements Route {
  readonly to: number;
  readonly #pipe: Pipe;

  constructor(
    to: number,
    stream: Duplex,
    { onMessage, onClose }: { onMessage(message: ForwardedMessage): void; onClose(): void },
  ) {
    this.to = to;
    this.#pipe = new Pipe(stream, { onFrame: ({ body }) => onMessage(parseJson(body) as ForwardedMessage), onClose });
    this.#pipe.unref();
  }

  send(message: ForwardedMessage, { isRefusable, maxBytes, onUndelivered }: SendOptions = {}): boolean {
    const body = toJsonBody(message);
    if (maxBytes !== undefined && body.length > maxBytes) return false;
    if (isRefusable && this.#pipe.isFull) onUndelivered?.("busy");
    else this.#pipe.send({ kind: frameKind.message, body });
    return true;
  }

  cut(): void {
    this.#pipe.close("its process has ended");
  }

  end(): void {
    this.#pipe.end();
  }
}
