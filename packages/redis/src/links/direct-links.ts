// The direct connections of a replica: one to each other replica that it can reach. Of two replicas, the one with the smaller id connects.
import type { TLSSocket } from "node:tls";
import { type Clock, every, type KeyRing } from "@lethe/server/stores";
import { type HostAndPort, toReachableAddress } from "../connection/host-and-port.ts";
import type { DirectCarrier, DirectReceiver } from "../messages/direct-carrier.ts";
import { dialLink } from "./dial-link.ts";
import { Link } from "./link.ts";
import { createLinkKeys, forAnotherReplica, type LinkKeys } from "./link-keys.ts";
import { type LinkListener, listenForLinks } from "./link-listener.ts";
import { handshakeMs } from "./tls-settings.ts";

/** Where a replica accepts direct connections. */
export interface DirectSettings {
  /** "host:port". With port 0 the system chooses one. */
  readonly listen: HostAndPort;
  /** "host:port" at which other replicas connect. Default: where it listens, by the local address of the connection to Redis. */
  readonly address?: string | undefined;
}

/** A direct connection to another replica began or ended. */
export interface LinkChange {
  readonly kind: "up" | "down";
  /** The id of the other replica. */
  readonly replica: string;
  /** Why a connection ended. "" for one that begins. */
  readonly reason: string;
}

export interface DirectLinksOptions extends DirectSettings {
  readonly self: string;
  readonly ring: KeyRing;
  readonly clock: Clock;
  /** The local address of the connection to Redis. */
  readonly localHost: string | undefined;
  /** Size of a message as JSON, in bytes. */
  readonly maxBytes: number;
  readonly silenceMs: number;
  /** Whether Redis can carry messages. */
  isRedisUp(): boolean;
  onChange(change: LinkChange): void;
  onProblem(problem: string): void;
}

/** Another replica, as it is listed in Redis. */
export interface Peer {
  readonly replica: string;
  /** Where it accepts direct connections. */
  readonly direct: string | undefined;
}

interface Attempt {
  /** Attempts in a row that led to no connection, or to one that ended soon. */
  failures: number;
  /** Infinite while the attempt is in progress. */
  nextAt: number;
}

/** Connections in both directions together. Others use Redis. */
const maxLinks = 1_000;
/** How often missing connections are tried again, also while Redis lists no replicas, in ms. */
const dialEveryMs = 1_000;
const firstPauseMs = 500;
const maxPauseMs = 30_000;
/** A connection that ends earlier counts as a failed attempt, in ms: the next one may be as slow, or end as soon. */
const provenMs = 60_000;
/** How many attempts in a row fail until the log says so. */
const reportedFailures = 3;
/** Different problems in the log. */
const maxReported = 100;

export async function openDirectLinks(options: DirectLinksOptions): Promise<DirectLinks> {
  const links = new DirectLinks(options, await createLinkKeys(options.ring, options.self));
  await links.listen();
  return links;
}

export class DirectLinks implements DirectCarrier {
  readonly #options: DirectLinksOptions;
  readonly #keys: LinkKeys;
  readonly #links = new Map<string, Link>();
  readonly #attempts = new Map<string, Attempt>();
  readonly #reported = new Set<string>();
  readonly #closing = new AbortController();
  #peers: readonly Peer[] = [];
  #stopDialling: (() => void) | undefined;
  #listener: LinkListener | undefined;
  #receiver: DirectReceiver | undefined;

  constructor(options: DirectLinksOptions, keys: LinkKeys) {
    this.#options = options;
    this.#keys = keys;
  }

  /** "host:port" for other replicas. Undefined when it is unknown: this replica then connects to those with larger ids only. */
  get address(): string | undefined {
    const { address, listen, localHost } = this.#options;
    return address ?? toReachableAddress({ host: listen.host, port: this.#listener?.port ?? listen.port }, localHost);
  }

  get size(): number {
    return this.#links.size;
  }

  async listen(): Promise<void> {
    this.#listener = await listenForLinks({
      ...{ ...this.#options.listen, keys: this.#keys, handshakeMs },
      onConnected: (from, socket) => this.#connected(from, socket),
      onRefused: (reason) => this.#reportRefused(reason),
    });
    if (this.address === undefined) {
      const remedy =
        'listen on the address family by which Redis is reached ("[::]:PORT" for IPv6), or set direct.address';
      this.#report(`other replicas cannot open direct connections to this one, whose address is unknown: ${remedy}`);
    }
  }

  start(receiver: DirectReceiver): void {
    this.#receiver = receiver;
    this.#stopDialling = every(this.#options.clock, dialEveryMs, () => this.#dialMissing());
  }

  stateOf(replica: string): "ready" | "full" | undefined {
    const link = this.#links.get(replica);
    if (!link?.isOpen) return undefined;
    return link.isFull ? "full" : "ready";
  }

  send(to: string, number: number, message: object): Promise<number> {
    const link = this.#links.get(to) as Link;
    return link.send(number, JSON.stringify(message));
  }

  /** Connects to those of the replicas in Redis that this one should connect to. Called each time when they were listed. */
  observe(peers: readonly Peer[]): void {
    this.#peers = peers;
    const listed = new Set(peers.map(({ replica }) => replica));
    for (const replica of this.#attempts.keys()) if (!listed.has(replica)) this.#attempts.delete(replica);
    this.#dialMissing();
  }

  #dialMissing(): void {
    if (this.#closing.signal.aborted) return;
    const now = this.#options.clock.now();
    for (const { replica, direct } of this.#peers) {
      if (direct === undefined || replica <= this.#options.self || this.#links.has(replica)) continue;
      const attempt = this.#attempts.get(replica) ?? { failures: 0, nextAt: now };
      this.#attempts.set(replica, attempt);
      if (now >= attempt.nextAt) void this.#dial({ replica, address: direct }, attempt);
    }
  }

  /** Ends all connections after what is queued was sent. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#stopDialling?.();
    this.#listener?.close();
    await Promise.all([...this.#links.values()].map((link) => link.close()));
  }

  async #dial(to: { readonly replica: string; readonly address: string }, attempt: Attempt): Promise<void> {
    attempt.nextAt = Number.POSITIVE_INFINITY;
    try {
      const socket = await dialLink(to, this.#keys, this.#closing.signal);
      this.#connected(to.replica, socket);
    } catch (error) {
      attempt.failures += 1;
      // A replica that was killed is listed for a moment longer.
      if (attempt.failures >= reportedFailures) this.#reportUnreached(to, (error as Error).message);
    }
    this.#pause(attempt);
  }

  #pause(attempt: Attempt): void {
    const pauseMs = Math.min(firstPauseMs * 2 ** attempt.failures, maxPauseMs);
    attempt.nextAt = this.#options.clock.now() + pauseMs * (0.5 + Math.random() / 2);
  }

  /** A replica that was restarted is looked for under its earlier id until that is no longer listed. */
  #reportRefused(reason: string): void {
    if (reason !== forAnotherReplica) this.#report(`a direct connection from another process was refused: ${reason}`);
  }

  #reportUnreached({ replica, address }: { readonly replica: string; readonly address: string }, reason: string): void {
    const shown = address.slice(0, 100).replace(/[^\x21-\x7e]/g, "?");
    const what = `there is no direct connection to replica ${replica.slice(0, 8)} at ${shown}`;
    const remedy = "check that replicas reach this port, or set gateway.redis.direct.address of that replica";
    this.#report(`${what}: ${reason}; Redis is used instead: ${remedy}`, `${shown}: ${reason}`);
  }

  #connected(replica: string, socket: TLSSocket): void {
    const { clock, maxBytes, silenceMs, isRedisUp, onChange } = this.#options;
    const receiver = this.#receiver;
    if (!receiver || this.#closing.signal.aborted || this.#links.size >= maxLinks) return void socket.destroy();
    // The other replica has lost the earlier connection.
    const earlier = this.#links.get(replica);
    if (earlier) this.#down(replica, earlier, "it connected again");
    const since = clock.now();
    const link: Link = new Link({
      ...{ socket, clock, maxBytes, silenceMs, after: receiver.lastSent(replica) },
      isReplaceable: isRedisUp,
      whenReceived: (number, callback) => receiver.whenReceived(replica, number, callback),
      onMessage: (number, message) => receiver.receive(replica, number, message),
      onClosed: (reason) => {
        this.#judge(replica, clock.now() - since);
        this.#down(replica, link, reason);
      },
    });
    this.#links.set(replica, link);
    onChange({ kind: "up", replica, reason: "" });
  }

  /** Decides when this replica connects again, if it is the one that connects. */
  #judge(replica: string, livedMs: number): void {
    const attempt = this.#attempts.get(replica);
    if (!attempt) return;
    attempt.failures = livedMs < provenMs ? attempt.failures + 1 : 0;
    this.#pause(attempt);
  }

  /** Once for each connection, before the next one is up. */
  #down(replica: string, link: Link, reason: string): void {
    if (this.#links.get(replica) !== link) return;
    this.#links.delete(replica);
    link.end(reason);
    this.#options.onChange({ kind: "down", replica, reason });
  }

  /** Once for each `key`: ids of replicas change with each start. */
  #report(problem: string, key = problem): void {
    if (this.#closing.signal.aborted || this.#reported.has(key) || this.#reported.size >= maxReported) return;
    this.#reported.add(key);
    this.#options.onProblem(problem);
  }
}
