// A TCP connection of a simulated process to the simulated Redis: requests go out, replies and messages come back, each in order.
import type { Reply, ReplyError } from "../redis/reply.ts";
import type { ClientSession, SimulatedRedis } from "../redis/simulated-redis.ts";
import type { Agenda } from "../world/agenda.ts";
import type { Random } from "../world/random.ts";
import type { SimulatedProcess } from "../world/simulated-process.ts";
import { type Path, Wire } from "./path.ts";

/** A process and its way to Redis and back. */
export interface RedisRoute {
  readonly agenda: Agenda;
  readonly random: Random;
  readonly process: SimulatedProcess;
  readonly redis: SimulatedRedis;
  readonly to: Path;
  readonly from: Path;
  /** Closes with the process. */
  readonly sockets: Set<{ abandon(): void }>;
}

export interface SocketEvents {
  onOpen(): void;
  onReply(outcome: Reply | ReplyError): void;
  onMessage(channel: string, text: string): void;
  /** Called once, with the reason if the connection failed. */
  onClose(error?: Error): void;
}

type ToServer = { readonly words: readonly string[] } | "open" | "close";
type ToClient =
  | { readonly outcome: Reply | ReplyError }
  | { readonly channel: string; readonly text: string }
  | "opened"
  | "refused"
  | "closed";

export class Socket implements ClientSession {
  readonly #route: RedisRoute;
  readonly #events: SocketEvents;
  readonly #up: Wire<ToServer>;
  readonly #down: Wire<ToClient>;
  #isClosed = false;

  constructor(route: RedisRoute, events: SocketEvents) {
    this.#route = route;
    this.#events = events;
    const { agenda, to, from, process } = route;
    this.#up = new Wire(agenda, to, (item) => this.#receiveAtServer(item));
    this.#down = new Wire(agenda, from, (item) => process.deliver(() => this.#receiveAtClient(item)));
    route.sockets.add(this);
    this.#up.send("open");
  }

  send(words: readonly string[]): void {
    if (!this.#isClosed) this.#up.send({ words });
  }

  /** Closes at once. What was sent may still arrive, or the machine drops it. */
  destroy(error?: Error): void {
    if (!this.#end()) return;
    const { agenda, process } = this.#route;
    agenda.after(0, () => process.deliver(() => this.#events.onClose(error)));
  }

  /** The process has ended, and its machine closes the connection. */
  abandon(): void {
    this.#end();
  }

  message(channel: string, text: string): void {
    this.#down.send({ channel, text });
  }

  closed(): void {
    this.#down.send("closed");
  }

  #end(): boolean {
    if (this.#isClosed) return false;
    this.#isClosed = true;
    this.#route.sockets.delete(this);
    if (this.#route.random.chance(0.5)) this.#up.drop();
    this.#up.send("close");
    return true;
  }

  #receiveAtServer(item: ToServer): void {
    const { redis } = this.#route;
    if (item === "close") redis.close(this);
    else if (item !== "open") redis.receive(this, item.words, (outcome) => this.#down.send({ outcome }));
    else if (redis.isUp) {
      redis.open(this);
      this.#down.send("opened");
    } else this.#down.send("refused");
  }

  #receiveAtClient(item: ToClient): void {
    if (this.#isClosed) return;
    if (item === "opened") this.#events.onOpen();
    else if (item === "refused" || item === "closed") {
      this.#end();
      const refusal = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
      this.#events.onClose(item === "refused" ? refusal : undefined);
    } else if ("outcome" in item) this.#events.onReply(item.outcome);
    else this.#events.onMessage(item.channel, item.text);
  }
}
