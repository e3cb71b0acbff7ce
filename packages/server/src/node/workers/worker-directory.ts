// The directory of a gateway with several workers: the parent records the owner of each session, and workers forward requests to it.
import type { Duplex } from "node:stream";
import { type Dispatch, isMcpError } from "@lethe/protocol";
import type { Acquired, AcquireOptions, Directory, Placement } from "../../replicas/directory.ts";
import { ReplicaError } from "../../replicas/replica-error.ts";
import type { ParentLink } from "./parent-link.ts";
import { ReceivedCalls } from "./received-calls.ts";
import { Routes } from "./routes.ts";
import { SentCalls } from "./sent-calls.ts";
import type { WorkerPeer } from "./worker-peer.ts";

export interface WorkerDirectoryOptions {
  readonly link: ParentLink;
  /** Returns the endpoint of this worker at `path`, or undefined when there is none. */
  dispatchAt(path: string): Dispatch | undefined;
  /** Called with problems that an operator should know. */
  onProblem(problem: string): void;
  /** Called when another worker joined, left in order, or was lost. Default: no report. */
  onWorker?(change: { kind: "joined" | "left" | "lost"; id: string; others: number }): void;
  /** Concurrent requests to other workers, and from them. Default 10,000 each. */
  readonly maxCalls?: number;
  /** Size of a forwarded request or answer as JSON, in bytes. Default 8 MiB. */
  readonly maxMessageBytes?: number;
}

/** Sessions of other workers whose owners are remembered. The oldest is forgotten first. */
const maxKnownOwners = 10_000;
/** How long an owner is remembered, in ms. One that has released the session meanwhile acquires it again, or forwards the request. */
const knownOwnerMs = 5_000;

export class WorkerDirectory implements Directory {
  readonly self: string;
  readonly #options: WorkerDirectoryOptions;
  readonly #owned = new Set<string>();
  /** How many acquisitions of a session are in progress. */
  readonly #acquiring = new Map<string, number>();
  readonly #knownOwners = new Map<string, { readonly owner: string; readonly until: number }>();
  readonly #sent: SentCalls;
  readonly #received: ReceivedCalls;
  readonly #routes: Routes;
  readonly #stop: () => void;
  readonly placement: Placement = {
    exchange: async (note, { ttlMs }) =>
      new Map(await this.#options.link.request<[string, string][]>("notes.exchange", note, ttlMs)),
    isOwned: async (key) =>
      this.holds(key) || this.#knownOwner(key) !== undefined || this.#options.link.request<boolean>("owned", key),
  };
  #peers: ReadonlyMap<string, WorkerPeer> = new Map();
  #lost = 0;
  #left: Promise<void> | undefined;

  constructor(options: WorkerDirectoryOptions) {
    const { link, maxCalls = 10_000, maxMessageBytes = 8 * 1024 * 1024, dispatchAt, onProblem } = options;
    this.self = link.self;
    this.#options = options;
    this.#sent = new SentCalls({ maxCalls, maxMessageBytes });
    this.#received = new ReceivedCalls({ maxCalls, maxMessageBytes, dispatchAt, onProblem });
    this.#peers = othersIn(link.peers, this.self);
    this.#routes = new Routes({
      link,
      onMessage: (route, message) => {
        if (message.kind === "call" || message.kind === "abort" || message.kind === "taken") {
          this.#received.receive(route, message);
        } else this.#sent.receive(route, message);
      },
      onCut: (route) => {
        this.#sent.cut(route);
        this.#received.cut(route);
      },
    });
    this.#stop = link.onPeers((peers) => this.#update(othersIn(peers, this.self)));
  }

  async acquire(key: string, { isForwarded = false }: AcquireOptions = {}): Promise<Acquired> {
    if (this.holds(key)) return { owner: this.self };
    const known = isForwarded ? undefined : this.#knownOwner(key);
    if (known !== undefined) return { owner: known };
    this.#acquiring.set(key, (this.#acquiring.get(key) ?? 0) + 1);
    try {
      const acquired = await this.#options.link.request<Acquired>("acquire", key);
      this.#knownOwners.delete(key);
      if (acquired.owner === this.self) this.#owned.add(key);
      else this.#remember(key, acquired.owner);
      return acquired;
    } catch (error) {
      const what = `cannot say where its session is: ${isMcpError(error) ? error.message : String(error)}`;
      throw new ReplicaError("unavailable", what, { retryAfterMs: 1_000 });
    } finally {
      const others = (this.#acquiring.get(key) ?? 1) - 1;
      if (others > 0) this.#acquiring.set(key, others);
      else this.#acquiring.delete(key);
    }
  }

  holds(key: string): boolean {
    return this.#left === undefined && this.#owned.has(key);
  }

  release(key: string): void {
    // A release would also undo an acquisition that is in progress.
    if (!this.#acquiring.has(key) && this.#owned.delete(key)) this.#options.link.tell("release", key);
  }

  reach(replica: string, path: string): Dispatch | undefined {
    const peer = this.#peers.get(replica);
    if (!peer || peer.isLeaving) return undefined;
    return (request, exchange) => this.#sent.send(this.#routes.to(peer.number), path, { request, exchange });
  }

  /** Requests to and from this worker now take a pipe of their own instead of the parent. */
  connect(worker: number, pipe: Duplex): void {
    this.#routes.add(worker, pipe);
  }

  /** How many sessions this worker owns. */
  get leases(): number {
    return this.#owned.size;
  }

  /** How many requests this worker forwarded since it started. */
  get sent(): number {
    return this.#sent.total;
  }

  /** How many requests other workers forwarded to this one since it started. */
  get received(): number {
    return this.#received.total;
  }

  /** The other workers. */
  get peers(): readonly WorkerPeer[] {
    return [...this.#peers.values()];
  }

  /** How many other workers were lost since this one started. */
  get workersLost(): number {
    return this.#lost;
  }

  /** Gives up all sessions, and gives calls of other workers `graceMs` to finish. */
  leave(graceMs: number): Promise<void> {
    if (this.#left === undefined) {
      this.#options.link.control({ kind: "leaving" });
      this.#owned.clear();
      this.#left = this.#received.drain(graceMs);
    }
    return this.#left;
  }

  /** Aborts all calls. */
  async close(): Promise<void> {
    await this.leave(0);
    this.#stop();
    this.#received.close();
    this.#sent.close();
    this.#routes.close();
  }

  #update(peers: ReadonlyMap<string, WorkerPeer>): void {
    const before = this.#peers;
    this.#peers = peers;
    const report = (kind: "joined" | "left" | "lost", id: string) =>
      this.#options.onWorker?.({ kind, id, others: peers.size });
    for (const [id, { number, isLeaving }] of before) {
      if (peers.has(id)) continue;
      this.#forgetOwner(id);
      if (!isLeaving) this.#lost += 1;
      this.#routes.ended(number);
      report(isLeaving ? "left" : "lost", id);
    }
    for (const [id, { isLeaving }] of peers) {
      if (!before.has(id)) report("joined", id);
      else if (isLeaving) this.#forgetOwner(id);
    }
  }

  #knownOwner(key: string): string | undefined {
    const known = this.#knownOwners.get(key);
    if (known === undefined || known.until > performance.now()) return known?.owner;
    this.#knownOwners.delete(key);
    return undefined;
  }

  #remember(key: string, owner: string): void {
    // The parent may have answered before it noticed that the owner has ended.
    if (!this.#peers.has(owner)) return;
    this.#knownOwners.set(key, { owner, until: performance.now() + knownOwnerMs });
    const [oldest] = this.#knownOwners.keys();
    if (oldest !== undefined && this.#knownOwners.size > maxKnownOwners) this.#knownOwners.delete(oldest);
  }

  #forgetOwner(id: string): void {
    for (const [key, { owner }] of this.#knownOwners) if (owner === id) this.#knownOwners.delete(key);
  }
}

function othersIn(peers: readonly WorkerPeer[], self: string): ReadonlyMap<string, WorkerPeer> {
  return new Map(peers.filter(({ id }) => id !== self).map((peer) => [peer.id, peer]));
}
