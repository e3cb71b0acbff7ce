// The lease of one gateway replica in Redis, and the sessions that it owns. A replica is alive while it renews its lease. When the
// lease expires, because the replica was killed or cut off, other replicas may acquire its sessions. After an outage in which all
// leases expired, no session changes owner until every replica had time to renew. The scripts use keys that depend on each other:
// they need one Redis, with or without stand-bys, and not a Cluster.
import { createHash } from "node:crypto";
import { ReplicaError } from "@lethe/server/stores";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { createScript, type Script } from "../script/create-script.ts";
import type { KeyFingerprints } from "../seal/key-fingerprints.ts";
import { acquireText, holdText, releaseText, renewText } from "./lease-scripts.ts";
import { RecentOwners } from "./recent-owners.ts";

export interface LeaseOptions {
  readonly connection: RedisConnection;
  readonly self: string;
  readonly fingerprints: KeyFingerprints;
  onProblem(problem: string): void;
  /** How long a replica counts as alive after it renewed its lease, in ms. Default 10,000. */
  leaseMs?: number;
}

/** The expiry of a session's owner, in leases. The owner renews it after a third of that time. */
const ownershipLeases = 6;
const holdBatch = 500;
/** Cached facts about a replica or an owner stay valid for this part of a lease. */
const freshPart = 0.1;

/** Rejects when Redis does not answer. */
export async function takeLease(options: LeaseOptions): Promise<Lease> {
  const lease = new Lease(options);
  await lease.start();
  return lease;
}

export class Lease {
  readonly #options: LeaseOptions;
  readonly #leaseMs: number;
  readonly #ownershipMs: number;
  readonly #renew: Script;
  readonly #acquire: Script;
  readonly #hold: Script;
  readonly #release: Script;
  readonly #leaseKey: string;
  readonly #anyLeaseKey: string;
  readonly #quietKey: string;
  readonly #leasePrefix: string;
  /** The sessions that this replica owns, with the name of their key in Redis. */
  readonly #owned = new Map<string, string>();
  /** How many acquisitions of a session are in progress. */
  readonly #acquiring = new Map<string, number>();
  readonly #recent: RecentOwners;
  readonly #lossListeners = new Set<(key: string) => void>();
  #hasReportedKeys = false;
  #hasReportedRefusal = false;
  #hasLeft = false;
  /** When the lease expires, by the clock of this process. 0 before the first renewal and after the last. */
  #expiresAt = 0;
  /** When this replica last renewed its sessions in Redis. */
  #heldAt = performance.now();
  #renewal: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LeaseOptions) {
    const { connection, self, leaseMs = 10_000 } = options;
    this.#options = options;
    this.#leaseMs = leaseMs;
    this.#ownershipMs = leaseMs * ownershipLeases;
    this.#renew = createScript(connection, renewText);
    this.#acquire = createScript(connection, acquireText);
    this.#hold = createScript(connection, holdText);
    this.#release = createScript(connection, releaseText);
    this.#leaseKey = connection.nameOf(`lease:${self}`);
    this.#anyLeaseKey = connection.nameOf("anybody");
    this.#quietKey = connection.nameOf("quiet");
    this.#leasePrefix = connection.nameOf("lease:");
    this.#recent = new RecentOwners(leaseMs * freshPart);
  }

  /** How many sessions this replica owns. */
  get size(): number {
    return this.#owned.size;
  }

  async start(): Promise<void> {
    await this.#renewLease();
    this.#options.connection.client.on("ready", this.#onReady);
    this.#timer = setInterval(() => this.#renewInBackground(), this.#leaseMs * 0.3).unref();
  }

  /** Returns the owner of a session: this replica, unless another one owns it. Rejects with ReplicaError. */
  async acquire(key: string): Promise<string> {
    if (this.#hasLeft) throw unavailable("this one is being stopped", 1_000);
    // If that replica has released the session meanwhile, it acquires it again or forwards the request.
    const known = this.#recent.ownerOf(key);
    if (known !== undefined) return known;
    this.#acquiring.set(key, (this.#acquiring.get(key) ?? 0) + 1);
    try {
      const name = this.#owned.get(key) ?? this.#nameOf(key);
      const owner = await orUnavailable(this.#acquireIn(name));
      if (owner === this.#options.self) this.#owned.set(key, name);
      else {
        this.#lose(key);
        this.#recent.addOwner(key, owner);
      }
      return owner;
    } finally {
      const others = (this.#acquiring.get(key) ?? 1) - 1;
      if (others > 0) this.#acquiring.set(key, others);
      else this.#acquiring.delete(key);
    }
  }

  holds(key: string): boolean {
    return performance.now() < this.#expiresAt && this.#owned.has(key);
  }

  release(key: string): void {
    const name = this.#owned.get(key);
    // A release would also undo an acquisition that is in progress.
    if (name === undefined || this.#acquiring.has(key)) return;
    this.#owned.delete(key);
    this.#release([name], [this.#options.self]).catch(() => {});
  }

  /** Calls `listener` with each session that another replica acquired from this one. Returns a function that removes it. */
  onLost(listener: (key: string) => void): () => void {
    this.#lossListeners.add(listener);
    return () => void this.#lossListeners.delete(listener);
  }

  /** Rejects with ReplicaError. */
  async isAlive(replica: string): Promise<boolean> {
    if (this.#recent.isAlive(replica)) return true;
    const { client } = this.#options.connection;
    const fingerprints = await orUnavailable(client.getrange(`${this.#leasePrefix}${replica}`, 0, 1_023));
    if (fingerprints !== "") this.#requireSameKeys(replica, fingerprints);
    return fingerprints !== "";
  }

  /** A message from this replica arrived. */
  receivedFrom(replica: string): void {
    this.#recent.addAlive(replica);
  }

  /** No subscriber received a message to this replica, or the replica takes no more requests. */
  missed(replica: string): void {
    // A later message from it, about another request, does not restore what was known.
    this.#recent.forget(replica);
  }

  /** Deletes the lease: other replicas may acquire all sessions of this one, which acquires no more. */
  async leave(): Promise<void> {
    this.#hasLeft = true;
    clearInterval(this.#timer);
    const { client } = this.#options.connection;
    client.off("ready", this.#onReady);
    await this.#renewal?.catch(() => {});
    await client.del(this.#leaseKey).catch(() => {});
    this.#expiresAt = 0;
  }

  /** The connection may lead to another Redis, which does not know all sessions of this replica. */
  readonly #onReady = (): void => {
    this.#heldAt = Number.NEGATIVE_INFINITY;
    this.#renewInBackground();
  };

  #renewInBackground(): void {
    this.#renewLease().then(
      () => {
        this.#hasReportedRefusal = false;
      },
      (error: Error) => this.#reportRefusal(error),
    );
  }

  /** Concurrent callers share one renewal. Rejects when Redis is away. */
  #renewLease(): Promise<void> {
    this.#renewal ??= this.#renewOnce().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #renewOnce(): Promise<void> {
    if (this.#hasLeft) return;
    const now = performance.now();
    // A replica that takes its first lease owned nothing that others would have to wait for.
    const quietMs = this.#expiresAt === 0 ? 0 : this.#leaseMs * 0.4;
    const keys = [this.#leaseKey, this.#anyLeaseKey, this.#quietKey];
    const wasRunning = await this.#renew(keys, [this.#leaseMs, quietMs, this.#options.fingerprints.own]);
    if (wasRunning === 0) this.#heldAt = Number.NEGATIVE_INFINITY;
    if (now - this.#heldAt >= this.#ownershipMs / 3) {
      await this.#holdOwned();
      this.#heldAt = now;
    }
    // Only now is it known which sessions other replicas have acquired.
    this.#expiresAt = now + this.#leaseMs;
  }

  /** Renews the ownership of every session, and gives up those that another replica acquired. */
  async #holdOwned(): Promise<void> {
    const keys = [...this.#owned.keys()];
    for (let start = 0; start < keys.length; start += holdBatch) {
      const batch = keys.slice(start, start + holdBatch).filter((key) => this.#owned.has(key));
      const names = batch.map((key) => this.#owned.get(key) as string);
      const lost = await this.#hold(names, [this.#options.self, this.#leasePrefix, this.#ownershipMs]);
      for (const index of lost as number[]) this.#lose(batch[index] as string);
    }
  }

  #lose(key: string): void {
    if (this.#owned.delete(key)) for (const listener of this.#lossListeners) listener(key);
  }

  /** Reports an error reply of Redis, once until a renewal succeeds. The connection itself reports that Redis is away. */
  #reportRefusal(error: Error): void {
    if (error.name !== "ReplyError" || this.#hasReportedRefusal) return;
    this.#hasReportedRefusal = true;
    const seconds = Math.ceil(this.#leaseMs / 1_000);
    this.#options.onProblem(
      `Redis rejected the lease renewal of this replica: ${error.message}; without it, this replica gives up all sessions within ${seconds} s`,
    );
  }

  async #acquireIn(name: string): Promise<string> {
    const keys = [this.#leaseKey, this.#quietKey, name];
    const args = [this.#options.self, this.#leasePrefix, this.#ownershipMs];
    const ask = () => this.#acquire(keys, args) as Promise<[string, string?] | number>;
    let found = await ask();
    if (found === -1) found = await this.#renewLease().then(ask);
    if (typeof found === "number") {
      throw unavailable("replicas are renewing their sessions after an outage", Math.max(found, 1));
    }
    const [owner, fingerprints] = found;
    if (fingerprints !== undefined) this.#requireSameKeys(owner, fingerprints);
    return owner;
  }

  /** A replica with other keys cannot open messages from here; the sender would notice that only by a timeout. */
  #requireSameKeys(replica: string, fingerprints: string): void {
    if (this.#options.fingerprints.fit(fingerprints)) return;
    if (!this.#hasReportedKeys) {
      this.#options.onProblem(
        `replica ${replica.slice(0, 8)} has other keys; requests for its sessions are rejected: check that LETHE_KEYS is the same`,
      );
    }
    this.#hasReportedKeys = true;
    const message = "has its session at a replica of the gateway that has other keys";
    throw new ReplicaError("unavailable", message, { retryAfterMs: this.#leaseMs });
  }

  #nameOf(key: string): string {
    return this.#options.connection.nameOf(`claim:${createHash("sha256").update(key).digest("base64url")}`);
  }
}

function unavailable(reason: string, retryAfterMs: number): ReplicaError {
  const message = `is unavailable because the gateway replica that owns its session is unknown: ${reason}`;
  return new ReplicaError("unavailable", message, { retryAfterMs });
}

async function orUnavailable<T>(reply: Promise<T>): Promise<T> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof ReplicaError) throw error;
    const isRefusal = error instanceof Error && error.name === "ReplyError";
    throw unavailable(isRefusal ? "Redis rejected the request" : "Redis does not answer", 1_000);
  }
}
